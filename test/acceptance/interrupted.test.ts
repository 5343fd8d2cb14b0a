// Tests of a server killed while a call changes many files: the changes made so far are known and reported.
// tier: full
import { readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { hashBytes } from '../../src/host/files/content-source.ts'
import { createProject } from '../cli/toolgate.ts'
import { waitUntil } from '../support/wait.ts'
import { connectWithCurl, type Json, readJournal } from './fixture.ts'

const FILES = 600

t.test('a kill in the middle of many changes: the call reports those that were made', async t => {
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`from/${i}.txt`, `${i}\n`]))
  const at = createProject(t, files)
  const first = await at.serve()
  const before = connectWithCurl(first)
  const { body: asked } = await before.call('copy_file', { source: 'from', dest: 'to', recursive: true })
  await before.post(`/calls/${asked.tool_call_id}/approve?wait_ms=0`, { digest: asked.approval.digest })
  await waitUntil('20 copies', () => copies(at.project).length >= 20)
  first.process.kill('SIGKILL')
  await first.ended
  const made = copies(at.project)
  t.ok(made.length < FILES, 'it was killed in the middle')

  const after = connectWithCurl(await at.serve())
  const call = await after.get(`/calls/${asked.tool_call_id}`)
  t.match(call, { status: 'interrupted', changes: [{ path: 'to', operation: 'created', kind: 'directory' }] })
  const expected = [
    { path: 'to', operation: 'created', kind: 'directory' },
    ...made.map(name => ({
      path: `to/${name}`,
      operation: 'created',
      after_hash: hashBytes(Buffer.from(`${Number.parseInt(name, 10)}\n`))
    }))
  ]
  t.same(sorted(call.changes), sorted(expected))
  t.same(copies(at.project), made, 'and nothing hidden is left')
  const told = (await readJournal(t, after)).events.filter(({ type }) => type === 'file.changed')
  t.same(
    told.map(({ path, by }) => ({ path, by })),
    call.changes.map(({ path }: Json) => ({ path, by: { tool_call_id: asked.tool_call_id } }))
  )
})

const sorted = (changes: Json[]) => [...changes].sort((a, b) => (a.path < b.path ? -1 : 1))

/** Returns the complete copies. */
function copies(project: string): string[] {
  try {
    return readdirSync(path.join(project, 'to')).filter(name => !name.startsWith('.'))
  } catch {
    return []
  }
}
