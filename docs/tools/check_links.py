"""Fails on a link of the site that leads nowhere: check_links.py SITE

Links to other servers are not followed.
"""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and the anchors of one page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[key] for key in ("id", "name") if values.get(key)}
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def main(site):
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html") and name != "404.html":  # with links from the server's root
                path = os.path.join(folder, name)
                pages[path] = Page(path)
    broken, checked = [], 0
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                continue
            checked += 1
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))) if parts.path else path
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            if not os.path.exists(target):
                broken.append(f"{os.path.relpath(path, site)}: {link} does not exist")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors and \
                    urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{os.path.relpath(path, site)}: {link} has no such anchor")
    print("\n".join(broken) if broken else f"{checked} links of {len(pages)} pages lead somewhere")
    return 1 if broken or not checked else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
