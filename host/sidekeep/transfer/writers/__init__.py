"""Writers: JSON that comes back exactly, Markdown with pictures beside it, HTML that opens anywhere. They touch no files."""
