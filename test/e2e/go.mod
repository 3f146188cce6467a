module github.com/okontajneroch/starwars/test/e2e

go 1.26.0

replace github.com/okontajneroch/starwars => ../..
