package frontmatter

// Limits of what is read. Measured on 32,000 public skills: the largest file has
// 0.29 MiB, the largest front matter a few KiB.
const (
	// MaxFile is the size of the largest file that is read, in bytes. Callers
	// read at most one byte more, so that they never load a huge file.
	MaxFile = 1 << 20
	// MaxFrontMatter is the size of the largest block between the fences, in
	// bytes with LF line ends. A reader of the index holds thousands of them.
	MaxFrontMatter = 64 << 10
	// maxKey is the longest key that the repair takes for one; what is longer
	// is prose with a colon in it.
	maxKey = 64
)
