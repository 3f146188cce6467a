module github.com/okontajneroch/starwars/examples

go 1.26.0

replace (
	github.com/okontajneroch/starwars => ../
	github.com/okontajneroch/starwars/testenv => ../testenv
)

require (
	github.com/okontajneroch/starwars v0.0.0
	github.com/okontajneroch/starwars/testenv v0.0.0
	k8s.io/apimachinery v0.37.2
	k8s.io/client-go v0.37.2
	k8s.io/klog/v2 v2.140.0
)
