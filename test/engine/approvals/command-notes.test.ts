// tier: quick
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { commandNotes } from '../../../src/engine/approvals/command-notes.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

t.test('notes the limits of a container for the approver', async t => {
  const assessment = (level: 'container' | 'workspace') => ({ command: undefined, isolation: { level, network: [] } })
  t.equal(
    commandNotes(assessment('container'), { lacks: ['dropped capabilities', 'a user'] }).notes[1],
    'Protection that is missing on this machine: dropped capabilities; a user.'
  )
  t.equal(commandNotes(assessment('container')).notes.length, 1)
  t.strictSame(commandNotes(assessment('workspace'), { lacks: ['a memory limit'] }), {
    notes: [],
    information: ['Isolation workspace: writes only in the workspace, no network.']
  })
})

t.test('strict parts of a command need attention, and others do not', async t => {
  const { call } = await startApp(t, {})
  const { approval } = await call('shell_exec', { command: 'ls; touch a; rm -rf b' })
  t.match(approval.preview, {
    notes: [/^`rm -rf b` \(strict\): /, /^Isolation none: /],
    information: [/^`ls` \(reads\): /, /^`touch a` \(ask\): /],
    command_parts: [
      { text: 'ls', class: 'auto', reason: /./ },
      { text: 'touch a', class: 'ask', reason: /./ },
      { text: 'rm -rf b', class: 'strict', reason: /./ }
    ]
  })
})

t.test('programs that usually need the network are named where there is none', needs('sandbox'), async t => {
  const { call } = await startApp(t, {}, { settings: { sandbox: defaultSettings().sandbox } })
  const information = async (command: string, network: string[] = []): Promise<string[]> =>
    (await call('shell_exec', { command, ...(network.length > 0 && { network }) })).approval.preview.information
  const names = 'Without network, these programs may fail: npm, curl.'
  t.ok((await information('npm outdated; curl https://example.org; touch a')).includes(names))
  t.notMatch((await information('curl https://example.org', ['example.org'])).join(' '), /may fail/)
  t.notMatch((await information('make')).join(' '), /may fail/)
})
