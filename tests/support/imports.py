"""Importing what a test made up, and what is to be said of a file that is refused."""

from pathlib import Path

from tests.support.dumps import every_row
from tests.support.stores import OWN

from sidekeep.service.import_run import Report
from sidekeep.service.services import Services


def imported(services: Services, file: Path, data: bytes) -> Report:
    file.write_bytes(data)
    return services.imports.run(OWN, [file])


def refused(services: Services, file: Path, data: bytes) -> str:
    """The reason, which is a sentence and quotes nothing; all rows are what they were."""
    before = every_row(services)
    report = imported(services, file, data)
    assert sum(report.counts.values()) == 0, report
    assert every_row(services) == before
    (failure,) = report.failed
    assert failure.where.startswith(file.name)
    assert failure.reason.endswith("."), failure.reason
    return failure.reason
