module percale.alt/go/percale

go 1.24
