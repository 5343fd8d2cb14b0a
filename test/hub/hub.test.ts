// A hub takes the journals of servers: each event once, in order, with calls and servers listed for people. On the embedded database.
// tier: full
import t from 'tap'
import { hubSuite } from './hub-suite.ts'
import { openEmbedded } from './start-hub.ts'

await hubSuite(t, openEmbedded)
