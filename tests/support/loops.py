"""Ending what a host ends by leaving: in a test the process goes on."""

from sidekeep.rpc.tasks import TaskLoop


def stop(tasks: TaskLoop) -> None:
    """Stop the loop and its thread, where they were started."""
    if tasks._loop is not None and tasks._thread is not None:
        tasks._loop.call_soon_threadsafe(tasks._loop.stop)
        tasks._thread.join(10)
        tasks._loop.close()
