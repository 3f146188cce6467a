// Copyright The starwars-sdk Authors.
// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	starwarsv1 "github.com/okontajneroch/starwars/pkg/apis/starwars/v1"
)

var (
	namespaces = []string{"core-worlds", "mid-rim", "outer-rim", "unknown-regions", "wild-space"}
	factions   = []starwarsv1.Faction{starwarsv1.Rebellion, starwarsv1.Empire, "republic", "separatists", "first-order"}
	squadrons  = []string{"red", "gold", "blue", "green", "rogue", "wraith", "black", "obsidian", "saber", "phoenix", "vanguard", "corona"}
	sectors    = []string{"corellian", "hapes", "kessel", "arkanis", "mandalore", "bothan", "sumitra", "yavin"}
	phases     = []string{"commissioned", "fuelled", "launched", "engaged", "docked", "serviced"}

	shipTypes = []string{
		"A-Wing", "ARC-170", "B-Wing", "Delta-7", "E-Wing", "Eta-2", "Firespray", "G-1A", "HH-87", "N-1",
		"TIE Advanced", "TIE Bomber", "TIE Defender", "TIE Interceptor", "TIE/ln", "U-Wing", "V-19", "X-Wing", "Y-Wing", "Z-95",
	}
	firstNames = []string{
		"Luke", "Wedge", "Biggs", "Leia", "Padmé", "Anakin", "Hera", "Jek", "Poe", "Iden", "Norra", "Temmin", "Shara", "Kes", "Evaan",
		"Thane", "Ciena", "Zay", "Del", "Garven", "Jon", "Dex", "Zev", "Wes", "Derek", "Corran", "Tycho", "Gavin", "Nawara", "Rhysati",
		"Bror", "Erisi", "Ooryl", "Plourr", "Ibtisam", "Feylis", "Soontir", "Maarek", "Ysanne", "Juno",
	}
	lastNames = []string{
		"Skywalker", "Antilles", "Darklighter", "Organa", "Amidala", "Syndulla", "Porkins", "Dameron", "Versio", "Wexley", "Bey",
		"Verlaine", "Kyrell", "Ree", "Meeko", "Dreis", "Vander", "Tiree", "Senesca", "Janson", "Klivian", "Horn", "Celchu", "Ven",
		"Ynr", "Jace", "Dlarit", "Qrygg", "Ilo", "Ardele", "Fel", "Stele", "Isard", "Eclipse", "O'Rourke", "Ka'rin", "de la Croix",
		"Sunrider", "Tarkona", "Ordo",
	}
)
