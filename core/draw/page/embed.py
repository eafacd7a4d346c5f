"""Writes a C++ header with the texts of files as constants: embed.py OUTPUT NAME=FILE..."""
import sys

output, *pairs = sys.argv[1:]
with open(output, "w", encoding="utf-8") as out:
    out.write("#include <string_view>\n\nnamespace percale {\n\n")
    for pair in pairs:
        name, path = pair.split("=", 1)
        with open(path, encoding="utf-8") as file:
            out.write(f'inline constexpr std::string_view {name} = R"page({file.read()})page";\n\n')
    out.write("}  // namespace percale\n")
