// Package storage is where the files of the lake are: a folder, or a bucket of the S3 API.
//
// A file is written once, under a name that no other one has, and never changed. Before a write
// ends, the file is there even if the machine loses its power. Start reading at Open.
package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdio "io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/iceberg-go/io"
	_ "github.com/apache/iceberg-go/io/gocloud/s3" // buckets of the S3 API
)

// Storage has files by their addresses: s3://bucket/… or file:///….
type Storage interface {
	io.WriteFileIO
	io.ReadFileIO
	io.ListableIO
	// Root is the address that all files are below, without a slash at its end.
	Root() string
}

// Open opens a folder, by its absolute path, or a bucket: s3://bucket or s3://bucket/prefix. How a
// bucket is reached is in the environment, as all programs of the S3 API read it: AWS_REGION,
// AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID and so on.
func Open(ctx context.Context, warehouse string) (Storage, error) {
	root := strings.TrimRight(warehouse, "/")
	if !strings.HasPrefix(root, "s3://") {
		return Folder{root: "file://" + filepath.ToSlash(root)}, nil
	}
	opened, err := io.LoadFS(ctx, nil, root)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", root, err)
	}
	files, ok := opened.(bucketIO)
	if !ok {
		return nil, fmt.Errorf("opening %s: it cannot be written", root)
	}
	return bucket{bucketIO: files, root: root}, nil
}

// bucketIO is what the library's buckets offer.
type bucketIO interface {
	io.WriteFileIO
	io.ReadFileIO
	io.ListableIO
}

type bucket struct {
	bucketIO

	root string
}

func (b bucket) Root() string { return b.root }

// small is the size up to which an object is read whole: a request costs more than the bytes do.
const small = 4 << 20

// Open implements io.IO. Without it, each part of an object that is read is a request.
func (b bucket) Open(name string) (io.File, error) {
	opened, err := b.bucketIO.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	info, err := opened.Stat()
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	if info.Size() > small {
		return opened, nil
	}
	content := make([]byte, info.Size())
	if _, err := stdio.ReadFull(opened, content); err != nil {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", name, err), opened.Close())
	}
	return object{bytes.NewReader(content), info}, opened.Close()
}

// object is one that was read whole.
type object struct {
	*bytes.Reader

	info fs.FileInfo
}

func (o object) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o object) Close() error               { return nil }

// Func gives a storage to the library.
func Func(s Storage) func(context.Context) (io.IO, error) {
	return func(context.Context) (io.IO, error) { return s, nil }
}

// Folder is a folder of this machine.
type Folder struct {
	io.LocalFS

	root string
}

// Root implements Storage.
func (f Folder) Root() string { return f.root }

// Create implements io.WriteFileIO.
func (f Folder) Create(name string) (io.FileWriter, error) {
	file, err := f.LocalFS.Create(name)
	if err != nil {
		return nil, fmt.Errorf("creating a file of the lake: %w", err)
	}
	opened, ok := file.(*os.File)
	if !ok {
		return nil, errors.New("creating a file of the lake: it is no file of this machine")
	}
	return durable{opened}, nil
}

// WriteFile implements io.WriteFileIO.
func (f Folder) WriteFile(name string, content []byte) error {
	file, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// durable is a file that is on the disk when it is closed.
type durable struct{ *os.File }

func (d durable) Close() error {
	err := d.Sync()
	if closed := d.File.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("writing a file of the lake: %w", err)
	}
	folder, err := os.Open(filepath.Dir(d.Name()))
	if err != nil {
		return fmt.Errorf("writing a file of the lake: %w", err)
	}
	return errors.Join(folder.Sync(), folder.Close())
}
