// Cancels by people at the hub, on the embedded database.
// tier: full
import t from 'tap'
import { hubCancelsSuite } from './hub-cancels-suite.ts'
import { openEmbedded } from './start-hub.ts'

await hubCancelsSuite(t, openEmbedded)
