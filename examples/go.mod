module github.com/okontajneroch/starwars/examples

go 1.26.0

replace (
	github.com/okontajneroch/starwars => ../
	github.com/okontajneroch/starwars/testenv => ../testenv
)
