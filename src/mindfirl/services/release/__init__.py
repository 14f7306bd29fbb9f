"""What leaves a project: releases of linked data, decisions as labels, crosswalks to releases."""
