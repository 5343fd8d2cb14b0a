// Tests of a full disk under the journal, by the real program: no call is accepted that cannot be recorded.
// tier: full
import { closeSync, globSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { needs, type Part } from '../support/needs.ts'
import { connectWithCurl, createGitProject } from './fixture.ts'

interface Shortage {
  name: string
  part: Part
  /** The server goes on by itself when it is over. */
  isTransient: boolean
  /** Prepares the state folder; returns functions that fill the disk and free it. */
  prepare(t: Test, state: string): { fill(pid: number): void; free(): void }
}

const quiet = { stdio: 'ignore' } as const

const SHORTAGES: Shortage[] = [
  {
    name: 'a full disk',
    part: 'mount',
    isTransient: true,
    prepare(t, state) {
      execaSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'tmpfs', state], quiet)
      t.teardown(() => execaSync('umount', ['--lazy', state], quiet))
      const filler = path.join(state, 'filler')
      return {
        fill() {
          const fd = openSync(filler, 'w')
          for (const size of [65_536, 4_096, 1]) while (writes(fd, Buffer.alloc(size)));
          closeSync(fd)
        },
        free: () => rmSync(filler)
      }
    }
  },
  {
    name: 'a limit on the size of files',
    part: 'linux',
    isTransient: false,
    prepare: (_t, state) => ({
      fill(pid) {
        const [log] = globSync(path.join(state, 'workspaces/*/journal.db-wal'))
        execaSync('prlimit', ['--pid', String(pid), `--fsize=${statSync(log!).size}:`], quiet)
      },
      free() {}
    })
  }
]

function writes(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) > 0
  } catch {
    return false
  }
}

for (const { name, part, prepare, isTransient } of SHORTAGES) {
  t.test(`${name}: refuses calls, and keeps what was promised`, needs(part), async t => {
    const at = createGitProject(t, { 'a.txt': 'a\n' })
    const state = path.join(at.folder, 'state')
    mkdirSync(state, { mode: 0o700 })
    const { fill, free } = prepare(t, state)
    const env = { TOOLGATE_STATE_DIR: state }
    const started = await at.serveIn(env)
    const server = connectWithCurl(started)
    const asked = await server.call('edit_file', { path: 'a.txt', old: 'a', new: 'b' })
    t.equal(asked.status, 202)

    fill(started.pid)
    const refused = await server.call('write_file', { path: 'new.txt', content: 'x'.repeat(20_000) })
    t.match(refused, { type: /^application\/problem\+json/, body: { recoverable: true } })
    if (isTransient)
      t.match(refused, { status: 507, body: { code: 'DISK_FULL', detail: /^The disk of the state folder .* is full/ } })
    else {
      const detail = 'The server cannot write its journal, so it accepts no calls. The server log contains the cause.'
      t.match(refused, { status: 503, body: { code: 'OVERLOADED', detail } })
      const { code, stderr } = await started.ended
      t.equal(code, 1)
      t.match(stderr, /"msg":"the journal cannot be written"/)
    }
    t.notOk(at.has('new.txt'), 'what could not be remembered was not done')

    free()
    const again = isTransient ? server : connectWithCurl(await at.serveIn(env))
    t.same((await again.get('/approvals')).approvals, [asked.body], 'what was promised is there')
    const done = await again.post(`/calls/${asked.body.tool_call_id}/approve?wait_ms=120000`, {
      digest: asked.body.approval.digest
    })
    t.match(done.body, { status: 'success' })
    t.equal(at.read('a.txt'), 'b\n')
    t.equal((await again.get('/calls')).calls.length, 1, 'and nothing besides')
  })
}
