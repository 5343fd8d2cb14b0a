// Tests of several rules saved by one decision: all or none.
// tier: quick
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { RuleBudgets } from '../../../src/engine/approvals/rule-budgets.ts'
import { SavedRules } from '../../../src/engine/approvals/saved-rules.ts'
import { Journal } from '../../../src/events/journal.ts'
import { openStore } from '../../../src/store/store.ts'

t.test('one invalid rule prevents all of them', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-rules-'))
  const store = await openStore(folder)
  t.teardown(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const journal = new Journal(store)
  const rules = new SavedRules(journal, store, new RuleBudgets(store, Date.now()))
  const rule = (command: string) => ({ effect: 'allow', match: { command, mode: 'prefix' }, scope: 'user' }) as const

  await t.rejects(rules.prepare([rule('npm run a'), rule('npm run $x')], 'c'), { code: 'INVALID_PARAMS' })
  t.strictSame(rules.list(), [])
  t.strictSame(store.rules(), [])

  const prepared = await rules.prepare([rule('npm run a'), rule('npm run b')], 'c')
  t.strictSame([rules.list(), store.rules()], [[], []], 'prepared rules are not in force')
  await journal.append(prepared.events, () => prepared.writes)
  rules.enforce(prepared)
  const made = prepared.rules
  t.strictSame(rules.list(), made)
  t.strictSame(
    store.rules().map(json => JSON.parse(json)),
    made
  )
})
