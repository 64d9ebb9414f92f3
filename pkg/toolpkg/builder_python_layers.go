package toolpkg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentctl/agentctl/internal/archive"
)

// A layer is a folder of runtime/ that depends on less than the whole source,
// such as the dependencies. A build takes it over from another build by hard
// links when the key is the same and the content is what it was: an edit of a
// script then costs neither the time nor the disk of a new environment.
type layer struct {
	Key    string `json:"key"`
	Digest string `json:"digest"`
}

const layersName = "runtime/layers.json"

func layerKey(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeLayers(out string, layers map[string]layer) error {
	data, err := json.MarshalIndent(layers, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, filepath.FromSlash(layersName)), append(data, '\n'), 0o644)
}

// layer takes over the folder name of runtime/ from another build, or has it
// made and compiled. An empty key is never taken over.
func (p *pyBuild) layer(ctx context.Context, name, key string, make func(dir string) error) error {
	dir := filepath.Join(p.job.Out, "runtime", name)
	if key != "" && p.takeOver(ctx, name, key, dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := make(dir); err != nil {
		return err
	}
	if err := p.compile(ctx, dir); err != nil {
		return err
	}
	if err := checkNoPath(dir, p.job.Out); err != nil || key == "" {
		return err
	}
	digest, err := archive.Digest(ctx, os.DirFS(dir), archive.ScanOptions{Links: true})
	p.layers[name] = layer{Key: key, Digest: digest}
	return err
}

// takeOver links the layer of the first build that has it undamaged.
func (p *pyBuild) takeOver(ctx context.Context, name, key, dir string) bool {
	for _, build := range p.job.Builds {
		var layers map[string]layer
		if readJSON(os.DirFS(build), layersName, &layers) != nil || layers[name].Key != key {
			continue
		}
		from := filepath.Join(build, "runtime", name)
		digest, err := archive.Digest(ctx, os.DirFS(from), archive.ScanOptions{Links: true})
		if err != nil || digest != layers[name].Digest {
			continue
		}
		if linkTree(from, dir) == nil {
			p.layers[name] = layers[name]
			return true
		}
		removeTree(dir)
	}
	return false
}

// linkTree makes dst of hard links to the files of src.
func linkTree(src, dst string) error {
	return filepath.WalkDir(src, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, file)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return err
			}
			return os.Symlink(target, to)
		}
		return os.Link(file, to)
	})
}

// checkNoPath refuses a folder in which a file names one of the paths: it would
// break when it is moved.
func checkNoPath(dir string, paths ...string) error {
	return eachFile(dir, func(file string, data []byte) error {
		for _, p := range paths {
			if bytes.Contains(data, []byte(p)) {
				rel, _ := filepath.Rel(dir, file) // file lies below dir
				return fmt.Errorf("%s names the folder that it was built in, %s: it cannot be moved", filepath.ToSlash(rel), p)
			}
		}
		return nil
	})
}

func eachFile(dir string, do func(file string, data []byte) error) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return do(file, data)
	})
}
