module percale.dev/go/percale

go 1.24
