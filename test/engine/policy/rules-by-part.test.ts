// Tests that rules about one command leave other commands alone, also where not all words of a line are known.
// tier: full
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'

/** Lines that a rule about `git push` is not about. */
const OTHERS = [
  'ls *.ts',
  'echo $HOME',
  'X=1; echo $X',
  'echo $(date)',
  'for f in *.ts; do echo $f; done',
  'git log *.ts',
  'git log -- *.ts',
  'cat "$HOME/a" | head -3',
  '/usr/bin/ls *',
  'timeout 5 ls *.ts'
]
/** Lines that it is about. */
const SAME = [
  'git push $X',
  'X=1 git push',
  '/usr/bin/git push *',
  'echo $(git push)',
  'ls *; git push',
  'timeout 5 git push $X'
]
/** Lines that may run it. */
const UNCLEAR = [
  '$X push',
  'g* push',
  'git $X',
  'git -C $X push',
  'eval "$X"',
  'bash -c "$X"',
  'sh $X',
  'ls * | xargs $X',
  'env $X push',
  'f() { git push; }; f *'
]

const MATCHES = [
  { tool: 'shell_exec', command: 'git push', mode: 'prefix' },
  { tool: 'shell_exec', pattern: 'git push.*' },
  { tool: 'shell_exec', pattern: '^git push( .*)?$' }
]

const sandbox = { ...defaultSettings().sandbox, level: 'auto' as const }
const app = await startApp(t, { 'a.ts': '' }, { settings: { sandbox } })

async function explain(command: string, session_id?: string) {
  const body = { tool: 'shell_exec', params: { command }, ...(session_id !== undefined && { session_id }) }
  const { verdict } = await app.post('/policy/explain', body)
  return { decision: verdict.decision, reason: verdict.reason, rule: verdict.matched_rule?.effect }
}

const before = new Map<string, object>()
for (const line of OTHERS) before.set(line, await explain(line))

for (const effect of ['deny', 'ask'])
  for (const match of MATCHES) {
    const name = `${effect} ${match.command ?? match.pattern}`
    t.test(name, async t => {
      await app.post('/rules', { scope: 'session', session_id: name, effect, match })
      for (const line of OTHERS) t.same(await explain(line, name), before.get(line), line)
      for (const line of SAME) {
        const { decision, reason } = await explain(line, name)
        if (effect === 'deny' && match.command) t.equal(decision, 'deny', `${line}: ${reason}`)
        else t.match(decision, /^(?:deny|ask|strict)$/, line)
      }
      for (const line of UNCLEAR) t.match((await explain(line, name)).decision, /^(?:ask|strict|deny)$/, line)
    })
  }
