#!/usr/bin/env bash
# Prepares a release: packs and builds every package, builds a program outside the repository with the packed files, and
# makes the command and the Python wheel for x86-64 Linux with glibc 2.28 or newer. Publishes nothing.
# Requires cargo, python3 with venv, and the package registries.
#
#     scripts/release.sh [PART ...]     parts: publish, outside, binary, wheel; all without one
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
release=$target/release-files
version=$(cargo metadata --locked --no-deps --format-version 1 |
    python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "gts-graph"))')

# Prints the names of the packages that are published.
published() {
    cargo metadata --locked --no-deps --format-version 1 |
        python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["packages"] if p["publish"] != []]'
}

# Packs every package, and builds each from its packed files.
publish() {
    cargo publish --locked --workspace --dry-run
}

# Builds and runs a program that names only gts-graph, outside the repository, with the packed files.
outside() {
    local packages=()
    while read -r name; do packages+=(--package "$name"); done < <(published)
    cargo package --locked --no-verify "${packages[@]}"
    local folder
    folder=$(mktemp -d)
    # shellcheck disable=SC2064  # the folder of now
    trap "rm -rf '$folder'" EXIT
    mkdir -p "$folder/program/src" "$folder/packed"
    {
        printf '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2024"\n\n'
        printf '[dependencies]\ngts-graph = "%s"\n\n[workspace]\n\n[patch.crates-io]\n' "$version"
        while read -r name; do
            tar -xzf "$target/package/$name-$version.crate" -C "$folder/packed"
            printf '%s = { path = "../packed/%s-%s" }\n' "$name" "$name" "$version"
        done < <(published)
    } >"$folder/program/Cargo.toml"
    # The program is the example of the README of gts-graph.
    sed -n '/^```$/,/^```$/p' gts-graph/README.md | sed '/^```$/d' >"$folder/program/src/main.rs"
    (cd "$folder/program" && CARGO_TARGET_DIR=$target/outside cargo run --quiet) | tee "$folder/output"
    [[ $(wc -l <"$folder/output") == 9 ]] || { echo "release: the program did not print nine levels" >&2; exit 1; }
}

# Makes a stripped command that needs only glibc 2.28, which many clusters have.
binary() {
    local tools=$target/release-tools
    [[ -d $tools ]] || python3 -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check cargo-zigbuild==0.24.1 ziglang==0.17.1
    PATH=$tools/bin:$PATH cargo zigbuild --locked --release --package gts-graph-cli --features arrow --bin gts \
        --target x86_64-unknown-linux-gnu.2.28
    mkdir -p "$release"
    strip -o "$release/gts" "$target/x86_64-unknown-linux-gnu/release/gts"
    local newest
    newest=$(objdump -T "$release/gts" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
    [[ $(printf '%s\nGLIBC_2.28\n' "$newest" | sort -V | tail -1) == GLIBC_2.28 ]] ||
        { echo "release: the command needs $newest" >&2; exit 1; }
    tar -C "$release" -czf "$release/gts-$version-x86_64-linux.tar.gz" gts
    (cd "$release" && sha256sum "gts-$version-x86_64-linux.tar.gz" >"gts-$version-x86_64-linux.tar.gz.sha256")
    ls -l "$release"
}

# Makes the wheel and the source distribution, and tests both, each in an empty environment.
wheel() {
    local tools=$target/release-tools
    [[ -d $tools ]] || python3 -m venv "$tools"
    "$tools/bin/python" -m pip install --quiet --disable-pip-version-check maturin==1.16.0 ziglang==0.17.1
    mkdir -p "$release"
    (
        cd gts-python
        export PATH=$tools/bin:$PATH CARGO_TARGET_DIR=$target
        maturin build --release --zig --compatibility manylinux_2_28 --locked --out "$release"
        maturin sdist --out "$release"
    )
    local distribution
    for distribution in "$release"/gts_graph-"$version"-*.whl "$release/gts_graph-$version.tar.gz"; do
        CARGO_TARGET_DIR=$target scripts/python.sh "$distribution"
    done
    local bytes
    bytes=$(stat --format %s "$release"/gts_graph-"$version"-*.whl)
    ((bytes <= 25 << 20)) || { echo "release: the wheel has $bytes bytes, and at most 25 MiB are allowed" >&2; exit 1; }
}

parts=("$@")
[[ ${#parts[@]} -gt 0 ]] || parts=(publish outside binary wheel)
for part in "${parts[@]}"; do
    case $part in
    publish | outside | binary | wheel) "$part" ;;
    *)
        echo "release: no part is called $part; the script's head lists the parts" >&2
        exit 2
        ;;
    esac
done
