"""Write the software bill of materials of an installation, in the form of CycloneDX 1.6.

``python -m supply.bill_of_materials VERSION FILE``

It is made of the lock file alone, so the same lock file gives the same bill.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from supply.lock_files import Pinned, pinned_packages

RUN = Path(__file__).parent.parent / "locks" / "run.txt"


def bill_of_materials(version: str, packages: list[Pinned]) -> dict[str, Any]:
    components = [_component(each) for each in packages]
    names = [each["bom-ref"] for each in components]
    listed = json.dumps([version, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, listed)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "mindfirl",
                "name": "mindfirl",
                "version": version,
            }
        },
        "components": components,
        "dependencies": [{"ref": "mindfirl", "dependsOn": names}],
    }


def _component(package: Pinned) -> dict[str, Any]:
    purl = f"pkg:pypi/{package.name}@{package.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": each} for each in package.hashes],
    }


if __name__ == "__main__":
    made = bill_of_materials(sys.argv[1], pinned_packages(RUN))
    Path(sys.argv[2]).write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
    print(f"{sys.argv[2]}: {len(made['components'])} packages")  # noqa: T201  # a command
