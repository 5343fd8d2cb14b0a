// Tests of sandbox warnings: restrictions on a command are reported before its approval.
// tier: quick
import { execaSync } from 'execa'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const settings = { sandbox: defaultSettings().sandbox }

t.test('warns of changes of the repository, and of secrets', needs('sandbox', 'python3'), async t => {
  const { call, root } = await startApp(t, { '.env': 'A=b\n', 'sub/.env.local': 'A=b\n', 'a.txt': '' }, { settings })
  execaSync('git', ['init', '--quiet'], { cwd: root })
  const asked = async (command: string, more = {}) => {
    const { approval } = await call('shell_exec', { command, ...more })
    const { notes, alternative } = approval.preview
    return { notes: notes?.join('\n') ?? '', alternative, always: approval.always_options.length }
  }
  const fails =
    'The call will fail: .git is read-only in the sandbox `workspace`. Reject the call, and ask the agent to use isolation none.'
  for (const command of ['git commit -m x', 'git add a.txt && git status', 'git rebase main', 'timeout 5 git stash']) {
    const { notes, alternative, always } = await asked(command)
    t.match(notes, fails, command)
    t.strictSame(
      alternative,
      {
        title: 'isolation none',
        user_message: 'In the sandbox `workspace`, .git is read-only. Send the call again with isolation none.',
        call_will_fail: true
      },
      command
    )
    t.equal(always, 0, command)
  }
  for (const command of ['git ls-remote', 'git push', 'make', 'git diff | tee x.txt'])
    t.notMatch((await asked(command)).notes, 'read-only', command)
  const outside = await asked('git commit -m x', { isolation: 'none' })
  t.notMatch(outside.notes, 'read-only')
  t.equal(outside.alternative, undefined)
  const hidden = await asked('cat .env sub/.env.local')
  t.strictSame(hidden.alternative, {
    title: 'isolation none',
    user_message:
      'In the sandbox `workspace`, .env and sub/.env.local cannot be read. Send the call again with isolation none.'
  })
  t.match(
    hidden.notes,
    'The sandbox `workspace` hides .env and sub/.env.local, so the command cannot read them. If the command needs the content, reject the call, and ask the agent to use isolation none.'
  )
})

t.test('warns of a command that listens', needs('sandbox', 'python3'), async t => {
  const { call, post } = await startApp(t, {}, { settings })
  const shut = /To make one reachable from outside, list it in `ports`/
  const asked = await call('shell_background', { command: 'python3 -m http.server' })
  t.match(asked.approval.preview.notes?.join('\n') ?? '', shut)
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
    digest: asked.approval.digest,
    confirm: true
  })
  t.match(done.result.content, shut)
  const free = await call('shell_background', { command: 'python3 -m http.server', isolation: 'none' })
  t.notMatch(free.approval.preview.notes?.join('\n') ?? '', shut)
  const reads = await call('shell_background', { command: 'cat', interactive: true })
  t.notMatch(reads.approval.preview.notes?.join('\n') ?? '', shut, 'what only reads does not serve')
  const { digest } = reads.approval
  const read = await post(`/calls/${reads.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.notMatch(read.result.content, shut)
})
