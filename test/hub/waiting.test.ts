// Calls that wait at servers whose events are far behind, on the embedded database.
// tier: full
import t from 'tap'
import { hubWaitingSuite } from './hub-waiting-suite.ts'
import { openEmbedded } from './start-hub.ts'

await hubWaitingSuite(t, openEmbedded)
