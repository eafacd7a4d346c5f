"""Archives with the same bytes for the same files: sorted names, no owners, one time."""
import gzip
import io
import pathlib
import tarfile
import time
import zipfile


def files_of(folder):
    """Returns {name in the archive: path} of the files and links of a folder, sorted by name."""
    found = {path.relative_to(folder).as_posix(): path for path in pathlib.Path(folder).rglob("*")}
    return {name: found[name] for name in sorted(found) if found[name].is_symlink() or found[name].is_file()}


def is_program(source):
    return not isinstance(source, bytes) and bool(source.stat().st_mode & 0o100)


def bytes_of(source):
    return source if isinstance(source, bytes) else source.read_bytes()


def compress(data):
    """Returns gzip data that holds neither a name nor a time."""
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        packed.write(data)
    return out.getvalue()


def tar_gz(path, files, top, epoch):
    """Writes {name: path of a file, or bytes} below the folder `top`, sorted by name."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as out:
        for name in sorted(files):
            source, entry = files[name], tarfile.TarInfo(f"{top}/{name}")
            entry.mtime, content = epoch, None
            if isinstance(source, bytes) or not source.is_symlink():
                content = bytes_of(source)
                entry.size, entry.mode = len(content), 0o755 if is_program(source) else 0o644
            else:
                entry.type, entry.linkname = tarfile.SYMTYPE, str(source.readlink())
            out.addfile(entry, io.BytesIO(content) if content is not None else None)
    path.write_bytes(compress(data.getvalue()))


def zip_of(path, files, epoch):
    """Writes {name: path of a file, or bytes} in the order of the dict. Links become files."""
    date = time.gmtime(max(epoch, 315532800))[:6]  # the earliest year of a zip is 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, source in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if is_program(source) else 0o644) << 16
            out.writestr(entry, bytes_of(source))
