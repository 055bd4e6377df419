# Functions of the scripts that make container images out of what is installed here. Sourced, with $root as the new image's root.

# put copies files and folders to the same place below $root; links inside the folders stay links.
put() { tar -C / -cf - "${@#/}" | tar -C "$root" -xf -; }

# put_program copies programs, and what they load: the linker's answer, with every link resolved to a file of that name.
put_program() {
	local file lib
	for file in "$@"; do
		mkdir -p "$root${file%/*}"
		cp -L "$file" "$root$file"
		while read -r lib; do
			mkdir -p "$root${lib%/*}"
			[[ -e $root$lib ]] || cp -L "$lib" "$root$lib"
		done < <(ldd "$file" 2>/dev/null | grep -o '/[^ )]*' || true)
	done
}

# put_commands puts commands, by name, where the image's PATH has them.
put_commands() {
	local name file
	for name in "$@"; do
		file=$(command -v "$name")
		put_program "$file"
		[[ -e $root/bin/$name ]] || ln -s "$file" "$root/bin/$name"
	done
}
