"""The process that does long work; a worker is a person here.

``python -m mindfirl.runner`` takes jobs as they come, and starts a process for each, so that one
that is cancelled, runs out of memory or is broken ends alone.

``loop``
    takes jobs, watches their processes, clears up after those that are gone.
``process``
    the process of a job, as the runner sees it: started, watched, ended.
``work``
    what that process does, by the kind of the job.
"""
