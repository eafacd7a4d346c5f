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


def is_program(path):
    return bool(path.stat().st_mode & 0o100)


def compress(data):
    """Returns gzip data that holds neither a name nor a time."""
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        packed.write(data)
    return out.getvalue()


def tar_gz(path, files, top, epoch):
    """Writes {name: path of a file} below the folder `top`."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as out:
        for name, source in files.items():
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.mtime = epoch
            if source.is_symlink():
                entry.type, entry.linkname = tarfile.SYMTYPE, str(source.readlink())
                out.addfile(entry)
                continue
            entry.size, entry.mode = source.stat().st_size, 0o755 if is_program(source) else 0o644
            with source.open("rb") as content:
                out.addfile(entry, content)
    path.write_bytes(compress(data.getvalue()))


def zip_of(path, files, epoch):
    """Writes {name: path of a file, or bytes} in the order of the dict, with links as their files."""
    date = time.gmtime(max(epoch, 315532800))[:6]  # the earliest year of a zip is 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, source in files.items():
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            program = not isinstance(source, bytes) and is_program(source)
            entry.external_attr = (0o755 if program else 0o644) << 16
            out.writestr(entry, source if isinstance(source, bytes) else source.read_bytes())
