// Calls that a person at the hub has to approve, on the embedded database.
// tier: full
import t from 'tap'
import { hubApproverSuite } from './hub-approver-suite.ts'
import { openEmbedded } from './start-hub.ts'

await hubApproverSuite(t, openEmbedded)
