//go:build percale_path

package percale

// Where the library lies say CGO_CFLAGS and CGO_LDFLAGS:
//
//	CGO_CFLAGS=-I/opt/percale/include CGO_LDFLAGS="-L/opt/percale/lib -lpercale -Wl,-rpath,/opt/percale/lib" go build -tags percale_path
