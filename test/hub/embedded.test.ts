// The hub on the embedded database: one file, since each process that opens this database takes seconds to compile it.
// tier: full
// run: alone (the database takes hundreds of megabytes)
import t from 'tap'
import { openEmbedded } from './embedded-database.ts'
import { hubApproverSuite } from './hub-approver-suite.ts'
import { hubCancelsSuite } from './hub-cancels-suite.ts'
import { hubRetentionSuite } from './hub-retention-suite.ts'
import { hubRulesSuite } from './hub-rules-suite.ts'
import { hubSuite } from './hub-suite.ts'
import { hubWaitingSuite } from './hub-waiting-suite.ts'

t.test('journals, calls and servers', t => hubSuite(t, openEmbedded))
t.test('waiting calls', t => hubWaitingSuite(t, openEmbedded))
t.test('approvals by a person at the hub', t => hubApproverSuite(t, openEmbedded))
t.test('cancels', t => hubCancelsSuite(t, openEmbedded))
t.test('rules', t => hubRulesSuite(t, openEmbedded))
t.test('deletion of old events', t => hubRetentionSuite(t, openEmbedded))
