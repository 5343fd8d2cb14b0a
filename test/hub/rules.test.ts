// Rules of the hub on the embedded database.
// tier: full
import t from 'tap'
import { hubRulesSuite } from './hub-rules-suite.ts'
import { openEmbedded } from './start-hub.ts'

await hubRulesSuite(t, openEmbedded)
