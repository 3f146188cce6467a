// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package listwatch_test

import (
	"strings"
)

// ship is an object with some members put in place of the usual ones.
func ship(metadata, rest string) string {
	return `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"Starfighter","metadata":{"name":"x","namespace":"fleet","resourceVersion":"7"` + metadata + `}` + rest + `}`
}

// objects are those that a decoder may get wrong.
func objects() map[string]string {
	deep := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	o := map[string]string{
		"usual":                 shipJSON(1),
		"no spec":               ship(``, ``),
		"empty":                 `{}`,
		"null":                  `null`,
		"string":                `"ship"`,
		"number":                `5`,
		"array":                 `[]`,
		"bool":                  `true`,
		"metadata null":         `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"Starfighter","metadata":null}`,
		"metadata string":       `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"Starfighter","metadata":""}`,
		"metadata array":        `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"Starfighter","metadata":[]}`,
		"kind null":             `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":null}`,
		"kind number":           `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":3}`,
		"kind missing":          `{"apiVersion":"starwars.okontajneroch.sk/v1"}`,
		"apiVersion missing":    `{"kind":"Starfighter"}`,
		"apiVersion other":      `{"apiVersion":"starwars.okontajneroch.sk/v2","kind":"Starfighter"}`,
		"apiVersion malformed":  `{"apiVersion":"a/b/c","kind":"Starfighter"}`,
		"kind other":            `{"apiVersion":"starwars.okontajneroch.sk/v1","kind":"Destroyer"}`,
		"kind twice":            `{"kind":"Destroyer","apiVersion":"starwars.okontajneroch.sk/v1","kind":"Starfighter"}`,
		"table":                 `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`,
		"case of metadata":      ship(``, `,"Metadata":{"name":"y"},"METADATA":{"name":"z"}`),
		"case of name":          ship(`,"Name":"y","NAME":"z","Labels":{"a":"b"}`, ``),
		"case of spec":          ship(``, `,"Spec":{"pilot":"a"},"spec":{"Pilot":"b","PILOT":"c","pi_lot":"d","pi-lot":"e"}`),
		"folding unicode":       ship(``, `,"ſpec":{"pilot":"a"},"spec":{"Kelvin":"b","K":"c"}`),
		"name escaped":          ship(`,"na\u006de":"y"`, `,"sp\u0065c":{"\u0070ilot":"b"}`),
		"scalar twice":          ship(`,"name":"y"`, `,"spec":{"pilot":"a","pilot":"b"}`),
		"scalar then null":      ship(`,"name":null,"generation":5,"generation":null`, ``),
		"object twice":          ship(``, `,"spec":{"pilot":"a","type":"t"},"spec":{"pilot":"b"}`),
		"object then null":      ship(``, `,"spec":{"pilot":"a"},"spec":null`),
		"metadata twice":        ship(`,"labels":{"a":"b"}`, `,"metadata":{"uid":"u","labels":{"c":"d"}}`),
		"map twice":             ship(`,"labels":{"a":"b"},"labels":{"a":"c","d":"e"}`, ``),
		"map then null":         ship(`,"labels":{"a":"b"},"labels":null`, ``),
		"map key twice":         ship(`,"labels":{"a":"b","a":"c"}`, ``),
		"map key then null":     ship(`,"labels":{"a":"b","a":null,"c":null}`, ``),
		"array twice":           ship(``, `,"status":{"phases":["a","b","c"],"phases":["d"]}`),
		"array twice, merged":   ship(``, `,"status":{"phases":["a","b","c"],"phases":[null,"x"],"phases":[null,null,null]}`),
		"array then null":       ship(``, `,"status":{"phases":["a","b","c"],"phases":null}`),
		"array then empty":      ship(``, `,"status":{"phases":["a","b","c"],"phases":[]}`),
		"owners twice":          ship(`,"ownerReferences":[{"name":"a","controller":true},{"name":"b"}],"ownerReferences":[{"kind":"k","controller":null}]`, ``),
		"pointer twice":         ship(`,"deletionGracePeriodSeconds":3,"deletionGracePeriodSeconds":null,"deletionTimestamp":"2026-05-04T12:00:00Z","deletionTimestamp":null`, ``),
		"empty map":             ship(`,"labels":{},"annotations":{}`, ``),
		"empty array":           ship(`,"finalizers":[],"ownerReferences":[]`, `,"status":{"phases":[]}`),
		"all null":              ship(`,"labels":null,"annotations":null,"finalizers":null,"ownerReferences":null,"creationTimestamp":null,"deletionTimestamp":null,"managedFields":null,"generation":null,"uid":null`, `,"spec":null,"status":null`),
		"inner null":            ship(`,"labels":{"a":null},"finalizers":[null],"ownerReferences":[null]`, `,"spec":{"faction":null,"type":null},"status":{"phases":[null,"a"]}`),
		"labels array":          ship(`,"labels":[]`, ``),
		"label number":          ship(`,"labels":{"a":1}`, ``),
		"label object":          ship(`,"labels":{"a":{"b":[1,2,{}]}}`, ``),
		"finalizers object":     ship(`,"finalizers":{"a":[]}`, ``),
		"finalizer number":      ship(`,"finalizers":["a",1,"b"]`, ``),
		"owner string":          ship(`,"ownerReferences":["a"]`, ``),
		"owner bool string":     ship(`,"ownerReferences":[{"controller":"true"}]`, ``),
		"pilot number":          ship(``, `,"spec":{"pilot":1}`),
		"pilot bool":            ship(``, `,"spec":{"pilot":false}`),
		"spec string":           ship(``, `,"spec":"x"`),
		"status array":          ship(``, `,"status":[1,[2],{"a":{}}]`),
		"phases string":         ship(``, `,"status":{"phases":"a"}`),
		"creation number":       ship(`,"creationTimestamp":5`, ``),
		"creation object":       ship(`,"creationTimestamp":{"a":[1]}`, ``),
		"creation array":        ship(`,"creationTimestamp":[]`, ``),
		"creation bool":         ship(`,"creationTimestamp":true`, ``),
		"invalid UTF-8":         ship(`,"labels":{"a\xff":"b\xc3\x28","\xed\xa0\x80":"c"}`, `,"spec":{"pilot":"\xf0\x28\x8c\x28"}`),
		"invalid UTF-8 name":    ship(``, `,"\xff":1,"spec":{"pil\xffot":"a"}`),
		"lone surrogates":       ship(`,"labels":{"a":"\ud800","\udc00":"b","c":"\ud800\ud800","d":"\ud83d\ude80","e":"\ud83dx"}`, ``),
		"escapes":               ship(`,"labels":{"a":"\"\\\/\b\f\n\r\t\u0000\u001f\u2028","":"empty"}`, ``),
		"bad escape":            ship(`,"labels":{"a":"\x"}`, ``),
		"bad unicode escape":    ship(`,"labels":{"a":"\u12"}`, ``),
		"control character":     ship(`,"labels":{"a":"`+"\n"+`"}`, ``),
		"NUL":                   ship(`,"labels":{"a":"`+"\x00"+`"}`, ``),
		"DEL":                   ship(`,"labels":{"a":"`+"\x7f\u2028\ufeff"+`"}`, ``),
		"unicode":               ship(`,"labels":{"ключ":"значение","鍵":"値","🚀":"\u00e9"}`, `,"spec":{"pilot":"Ľuboš"}`),
		"same with escapes":     ship(`,"labels":{"\u00e9":"a","é":"b"}`, ``),
		"unknown members":       ship(`,"x":1,"y":[1,2,{"z":null}],"selfLink":"/a","clusterName":"b"`, `,"extra":{"a":{"b":"c"}},"more":[[[]]],"n":-1.5e3,"t":true,"f":false,"nil":null,"s":"\ud800"`),
		"white space":           " \t\r\n{ \"apiVersion\" : \"starwars.okontajneroch.sk/v1\" , \"kind\":\r\n\"Starfighter\",\t\"metadata\":{\"labels\":{ } , \"finalizers\":[ \"a\" , \"b\" ] } } \n",
		"trailing comma":        ship(``, `,`),
		"trailing comma in map": ship(`,"labels":{"a":"b",}`, ``),
		"missing comma":         ship(`,"labels":{"a":"b" "c":"d"}`, ``),
		"missing colon":         ship(`,"labels":{"a" "b"}`, ``),
		"single quotes":         ship(`,'labels':{}`, ``),
		"comment":               ship(`/* */`, ``),
		"NaN":                   ship(`,"generation":NaN`, ``),
		"key number":            ship(`,"labels":{1:"a"}`, ``),
		"key null":              ship(`,"labels":{null:"a"}`, ``),
		"BOM":                   "\xef\xbb\xbf" + ship(``, ``),
		"managedFields string":  ship(`,"managedFields":"x"`, ``),
		"managedFields object":  ship(`,"managedFields":{"a":[1]}`, ``),
		"managedFields mistake": ship(`,"managedFields":[{"time":"x"}],"labels":{"a":"b"}`, ``),
		"managedFields twice":   ship(`,"managedFields":[{"manager":"a","operation":"Apply"}],"managedFields":[{"manager":"b"}]`, ``),
		"managedFields null":    ship(`,"managedFields":[null,{"fieldsV1":null},{"fieldsV1":{}},{"fieldsV1":{"f:a":{"." :{}}},"time":null}]`, ``),
		"managedFields syntax":  ship(`,"managedFields":[{"fieldsV1":{"f:a":}}]`, ``),
		"managedFields raw":     ship(`,"managedFields":[{"fieldsV1":"a"},{"fieldsV1":[1, 2]},{"fieldsV1":5}]`, ``),
		"deep, unknown":         ship(``, `,"deep":`+deep(5000)),
		"at the limit":          ship(``, `,"deep":`+deep(9997)),
		"over the limit":        ship(``, `,"deep":`+deep(9999)),
		"far over the limit":    ship(``, `,"deep":`+deep(20000)),
		"deep managedFields":    ship(`,"managedFields":`+deep(20000), ``),
		"long string":           ship(`,"annotations":{"a":"`+strings.Repeat("long ", 100_000)+`"}`, ``),
		"long escaped string":   ship(`,"annotations":{"a":"`+strings.Repeat(`\n\u00e9`, 50_000)+`"}`, ``),
		"long name":             ship(``, `,"`+strings.Repeat("n", 300_000)+`":1`),
		"many labels":           ship(`,"labels":{`+strings.Repeat(`"a":"b","c":"d",`, 5000)+`"e":"f"}`, ``),
		"many phases":           ship(``, `,"status":{"phases":[`+strings.Repeat(`"launched","docked",`, 5000)+`"lost"]}`),
		"long white space":      ship(``, strings.Repeat(" ", 100_000)),
	}
	for _, n := range []string{
		`0`, `-0`, `1.0`, `1e3`, `1E+2`, `1e-1`, `0.5`, `-5`, `9223372036854775807`, `9223372036854775808`,
		`-9223372036854775808`, `-9223372036854775809`, `1e400`, `01`, `+1`, `1.`, `.5`, `1e`, `-`, `0x1`, `"5"`, `""`, `true`, `[]`, `{}`,
	} {
		o["generation "+n] = ship(`,"generation":`+n, ``)
		o["deletionGracePeriodSeconds "+n] = ship(`,"deletionGracePeriodSeconds":`+n, ``)
	}
	for _, s := range []string{
		`2026-05-04T12:00:00Z`, `2026-05-04T12:00:00.123456789Z`, `2026-05-04T12:00:00,5Z`, `2026-05-04T12:00:00+02:00`, `2026-05-04T12:00:00-23:59`,
		`2026-05-04T12:00:00+24:00`, `2026-05-04t12:00:00z`, `2026-05-04 12:00:00Z`, `2026-05-04T12:00:00`, `2026-02-30T12:00:00Z`, `2026-05-04T24:00:00Z`,
		`2026-05-04T12:00:60Z`, `2026-5-4T12:00:00Z`, `2026-05-04T1:00:00Z`, `0000-01-01T00:00:00Z`, `0001-01-01T00:00:00Z`, `9999-12-31T23:59:59Z`,
		`10000-01-01T00:00:00Z`, `-001-01-01T00:00:00Z`, ``, ` `, `now`, `2026-05-04T12:00:00\u005a`, `2026-05-04T12:00:00Z\n`, "2026-05-04T12:00:00\xff",
		`2026-05-04T12:00:00.1234567890123456789Z`, `2026-05-04T12:00:00.Z`, `null`,
	} {
		o["time "+s] = ship(`,"creationTimestamp":"`+s+`","deletionTimestamp":"`+s+`"`, ``)
	}
	return o
}

// lists are bodies that a decoder may get wrong.
func lists() map[string]string {
	return map[string]string{
		"empty object":         `{}`,
		"no items":             `{"kind":"StarfighterList","apiVersion":"starwars.okontajneroch.sk/v1","metadata":{"resourceVersion":"1"}}`,
		"items null":           `{"metadata":{"resourceVersion":"1"},"items":null}`,
		"items empty":          `{"metadata":{"resourceVersion":"1"},"items":[]}`,
		"items object":         `{"items":{}}`,
		"items string":         `{"items":"a"}`,
		"null item":            `{"items":[null]}`,
		"null items":           `{"items":[null,{"metadata":{"name":"a"}},null]}`,
		"items first":          `{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"1","continue":"c","remainingItemCount":5},"apiVersion":"starwars.okontajneroch.sk/v1","kind":"StarfighterList"}`,
		"metadata null":        `{"metadata":null,"items":[]}`,
		"metadata twice":       `{"metadata":{"resourceVersion":"1"},"metadata":{"continue":"c"},"items":[]}`,
		"metadata string":      `{"metadata":"a","items":[]}`,
		"remaining null":       `{"metadata":{"remainingItemCount":null},"items":[]}`,
		"remaining string":     `{"metadata":{"remainingItemCount":"1"},"items":[]}`,
		"kind null":            `{"kind":null,"apiVersion":null,"items":[]}`,
		"kind number":          `{"kind":1,"items":[]}`,
		"kind of an item":      `{"kind":"StarfighterList","apiVersion":"starwars.okontajneroch.sk/v1","items":[{"kind":"Other","apiVersion":"a/b/c"}]}`,
		"apiVersion other":     `{"kind":"StarfighterList","apiVersion":"starwars.okontajneroch.sk/v2","items":[]}`,
		"kind unknown":         `{"kind":"DestroyerList","apiVersion":"starwars.okontajneroch.sk/v1","items":[]}`,
		"only kind":            `{"kind":"StarfighterList","items":[]}`,
		"only apiVersion":      `{"apiVersion":"starwars.okontajneroch.sk/v1","items":[]}`,
		"Items":                `{"Items":[{"metadata":{"name":"a"}}],"ITEMS":[]}`,
		"unknown members":      `{"a":1,"items":[],"b":{"c":[]},"code":"x","message":5}`,
		"trailing white space": `{"items":[]}` + "\n\t\r \n",
		"trailing garbage":     `{"items":[]}x`,
		"trailing brace":       `{"items":[]}}`,
		"second list":          `{"items":[]}{"items":[]}`,
		"second value":         `{"items":[]} null`,
		"NUL after":            `{"items":[]}` + "\x00",
		"comma in items":       `{"items":[{},]}`,
		"only comma":           `{"items":[,]}`,
		"two commas":           `{"items":[{},,{}]}`,
		"no comma":             `{"items":[{}{}]}`,
		"cut":                  `{"items":[{}`,
		"cut after items":      `{"items":[]`,
		"nothing":              ``,
		"white space":          ` `,
		"array":                `[]`,
		"string":               `"a"`,
		"a page":               `<html></html>`,
		"Status success":       `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"items":"x"}`,
	}
}

var typeMembers = []string{
	"bool", "int", "int8", "int32", "uint16", "float", "float32", "bytes", "array", "pointer", "struct", "structs", "byName", "pointers", "byInt",
	"lists", "any", "map", "quoted", "Ignored", "Untagged", "micro", "time", "duration", "port", "amount", "raw", "fields", "selector",
}

var typeValues = []string{
	`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `1.0`, `1.5`, `1e2`, `300`, `70000`, `9007199254740993`, `1e400`, `1e40`, `""`, `"a"`, `"5"`, `"-7"`, `"null"`, `"1.5"`, `"1Gi"`, `"80%"`, `"aGVsbG8="`, `"aGVsbG8"`, `"1h30m"`,
	`"2026-05-04T12:00:00Z"`, `"2026-05-04T12:00:00.000001Z"`, `"2026-05-04T12:00:00.1234567Z"`, `"\ud800"`, `"` + "\xff" + `"`,
	`[]`, `[null]`, `["a"]`, `["a","b","c"]`, `[1,2]`, `[{}]`, `[[]]`, `[{"a":"x","b":null,"c":[{"a":"y"}]}]`,
	`{}`, `{"a":null}`, `{"a":"x"}`, `{"a":{"a":"x","b":"y"},"a":{"b":"z"}}`, `{"a":{"b":[1,2.5,-3,9007199254740993,1e3,"s",null,true,{"c":{}}]}}`, `{"1":"x","01":"y","z":"w"}`, `{"-1":"x"}`, `{"a":"aGVsbG8="}`, `{"a":1}`,
	`{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}`,
}
