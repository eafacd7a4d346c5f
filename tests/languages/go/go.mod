module percale.org/go/languages

go 1.24

require percale.org/go/percale v0.1.0

replace percale.org/go/percale => ../../../bindings/go
