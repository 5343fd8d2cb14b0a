// Tests that a program cannot pass on a secret that appears in the workspace while it runs, although its sandbox hides only those
// that existed when it started.
// tier: full
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil, within } from '../../support/wait.ts'

const { sandbox } = defaultSettings()
const SECRET = 'brand-new-5151'
const FILES = { '.env': 'PIN=old\n', 'svc/.env': `PIN=${SECRET}\n`, 'a.txt': 'plain\n' }
/** Waits until the file `go` exists, at most five minutes. */
const WAIT = 'for i in $(seq 6000); do [ -e go ] && break; sleep 0.05; done'

/** Runs code that waits in the middle, changes files meanwhile, and returns the call with everything that was published of it. */
async function runMeanwhile(t: Test, code: (wait: string) => string, change: (root: string) => void) {
  const { call, events, root, get } = await startApp(t, FILES, { settings: { sandbox } })
  const stream = await events()
  const started = call('run_code', { language: 'bash', code: code(`echo waiting; ${WAIT}`) })
  await stream.type('tool.progress', ({ delta }) => delta?.text.includes('waiting'))
  change(root)
  writeFileSync(path.join(root, 'go'), '')
  const ended = await started
  const output = await get(`/calls/${ended.tool_call_id}/output`)
  await stream.type('tool.result')
  return { ended, published: JSON.stringify([ended, output, stream.seen]) }
}

const save = (name: string) => (root: string) => {
  writeFileSync(path.join(root, 'save.tmp'), `PIN=${SECRET}\n`)
  renameSync(path.join(root, 'save.tmp'), path.join(root, name))
}

for (const [title, change, path] of [
  ['a secret that an editor saves again', save('.env'), '.env'],
  ['a new secret', save('.npmrc'), '.npmrc'],
  ['a secret in a folder that is moved', (root: string) => renameSync(`${root}/svc`, `${root}/moved`), 'moved/.env'],
  [
    'a secret in a new folder',
    (root: string) => {
      mkdirSync(`${root}/new/.ssh`, { recursive: true })
      save('new/.ssh/config')(root)
    },
    'new/.ssh'
  ]
] as const)
  t.test(`withholds the output after ${title}`, needs('bwrap'), async t => {
    const code = (wait: string) => `${wait}; cat .env .npmrc moved/.env new/.ssh/config | tee /tmp/x | rev; cat /tmp/x`
    const { ended, published } = await runMeanwhile(t, code, change)
    t.match(ended, {
      status: 'error',
      error: {
        code: 'SENSITIVE_PATH',
        message: `${path}, which may contain credentials, appeared, was moved or replaced while the program was running`
      }
    })
    t.match(published, 'waiting', 'what was printed before is there')
    t.notMatch(published, SECRET)
    t.notMatch(published, [...SECRET].reverse().join(''))
  })

t.test('withholds the exit code too', needs('bwrap'), async t => {
  const code = (wait: string) => `${wait}; [ "$(cat .npmrc)" = "PIN=${SECRET}" ] && exit 3; exit 4`
  const { ended, published } = await runMeanwhile(t, code, save('.npmrc'))
  t.match(ended, { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  t.notMatch(published, /"exit_code":[34]/)
})

t.test(
  'releases the output of a program if other files change, and secrets are written in place',
  needs('bwrap'),
  async t => {
    const code = (wait: string) => `${wait}; cat other.txt; cat .env; seq 300000; exit 5`
    const { ended } = await runMeanwhile(t, code, root => {
      save('other.txt')(root)
      writeFileSync(path.join(root, '.env'), 'PIN=changed\n')
    })
    t.match(ended, { status: 'success', result: { data: { exit_code: 5 } } })
    t.match(
      ended.result.data.stdout,
      /^waiting\n\S+\ncat: \.env: Permission denied\n1\n2\n/,
      'the known secret in the other file is masked'
    )
    t.match(ended.result.data.stdout, /299999\n300000\n$/)
  }
)

/** Starts a server that watches its workspace. */
async function startWatching(t: Test) {
  const app = await startApp(t, FILES, { settings: { sandbox, watch: { external: true, max_folders: 16_384 } } })
  await waitUntil('the workspace to be watched', async () => {
    const { workspaces } = await app.get('/capabilities')
    return workspaces.every(({ watching }: Json) => watching)
  })
  return app
}

for (const [title, change] of [
  [
    'a secret that is gone again',
    (root: string) => {
      save('.npmrc')(root)
      rmSync(`${root}/.npmrc`)
    }
  ],
  [
    'a secret that is moved away and back',
    (root: string) => {
      renameSync(`${root}/.env`, `${root}/other.txt`)
      renameSync(`${root}/other.txt`, `${root}/.env`)
    }
  ],
  ['a secret that is moved to another name', (root: string) => renameSync(`${root}/.env`, `${root}/other.txt`)]
] as const)
  t.test(`ends a silent program, and withholds its exit code, after ${title}`, needs('bwrap'), async t => {
    const { call, events, root } = await startWatching(t)
    const stream = await events()
    const started = call('run_code', { language: 'bash', code: 'echo waiting; sleep 300; exit 3' })
    await stream.type('tool.progress', ({ delta }) => delta?.text.includes('waiting'))
    change(root)
    const ended = await within('the end of the program', started)
    t.match(ended, { status: 'error', error: { code: 'SENSITIVE_PATH' } })
    t.equal(ended.result?.data?.exit_code, undefined)
  })

t.test(
  'withholds the output of every program that runs beside one that could read a secret',
  needs('bwrap'),
  async t => {
    const { call, events, root } = await startApp(t, FILES, { settings: { sandbox } })
    const stream = await events()
    const run = async (code: string) => {
      const ended = call('run_code', { language: 'bash', code })
      await stream.type('tool.progress', ({ delta }) => delta?.text.includes('waiting'))
      return { ended }
    }
    const silent = await run('echo waiting; sleep 300')
    const other = await run(`echo waiting; ${WAIT}; rev <<<skcol; sleep 300`)
    save('.npmrc')(root)
    writeFileSync(path.join(root, 'go'), '')
    for (const { ended } of [silent, other]) {
      const call = await within('the end of a program', ended)
      t.match(call, { status: 'error', error: { code: 'SENSITIVE_PATH', details: { path: '.npmrc' } } })
      t.notMatch(JSON.stringify(call), 'locks')
    }
  }
)
