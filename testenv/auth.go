// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package testenv

import (
	"context"
	"slices"

	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// adminUser is the name of the user behind the token of the kubeconfig. It is
// not in the group system:masters, so that Options.Authorizer is asked.
const adminUser = "admin"

// newAuthenticator knows one token. The server adds its own loopback token.
// There is no anonymous user: whoever shows no known token gets a 401.
func newAuthenticator(token string) authenticator.Request {
	return authenticatorfactory.NewFromTokens(map[string]*user.DefaultInfo{
		token: {Name: adminUser, UID: adminUser, Groups: []string{user.AllAuthenticated}},
	}, nil)
}

// newAuthorizer lets system:masters do everything and asks hook about all
// others. Without that the server could not even watch its own CRDs.
func newAuthorizer(hook authorizer.Authorizer) authorizer.Authorizer {
	return authorizer.AuthorizerFunc(func(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
		if hook == nil {
			return authorizer.DecisionAllow, "", nil
		}
		if u := a.GetUser(); u != nil && slices.Contains(u.GetGroups(), user.SystemPrivilegedGroup) {
			return authorizer.DecisionAllow, "", nil
		}
		return hook.Authorize(ctx, a)
	})
}
