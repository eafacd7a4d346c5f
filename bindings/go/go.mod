module percale.org/go/percale

go 1.24
