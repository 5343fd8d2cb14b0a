// The deletion of old events at a hub with the database that runs within the process.
// tier: full
import t from 'tap'
import { hubRetentionSuite } from './hub-retention-suite.ts'
import { openEmbedded } from './start-hub.ts'

await hubRetentionSuite(t, openEmbedded)
