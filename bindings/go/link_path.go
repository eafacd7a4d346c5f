//go:build percale_path

package percale

// CGO_CFLAGS and CGO_LDFLAGS say where the library is:
//
//	CGO_CFLAGS=-I/opt/percale/include \
//	CGO_LDFLAGS="-L/opt/percale/lib -lpercale -Wl,-rpath,/opt/percale/lib" \
//	go build -tags percale_path
