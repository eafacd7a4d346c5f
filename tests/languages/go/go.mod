module percale.alt/go/languages

go 1.24

require percale.alt/go/percale v0.1.0

replace percale.alt/go/percale => ../../../bindings/go
