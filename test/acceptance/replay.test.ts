// tier: full
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'

const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/replay-history.ts')

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-history-')))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => path.join(folder, name)
const git = (...args: string[]) =>
  execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    extendEnv: false
  })

function commit(files: Record<string, string | Buffer>, more: () => void = () => {}) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
  }
  more()
  git('add', '--all')
  git('commit', '--quiet', '--message', 'One')
}

/** Repeats a few lines, so that only the lines above distinguish them. */
const repeated = (...words: string[]) =>
  words.map((word, i) => `part ${i}\n{\n  a\n  b\n  c\n  ${word}\n  d\n  e\n  f\n}\n`).join('')
const crlf = (text: string) => text.replaceAll('\n', '\r\n')

git('init', '--quiet')
commit({
  'repeated.txt': repeated('x', 'x', 'x', 'x'),
  'crlf.txt': crlf('one\ntwo\nthree\n'),
  'mixed.txt': 'one\r\ntwo\nthree\r\nfour\n',
  'open.txt': 'one\ntwo',
  'mark.txt': '\ufeffone\ntwo\n',
  'latin.txt': Buffer.from('caf\u00e9\nth\u00e9\n', 'latin1'),
  'empty.txt': '',
  'old/name.txt': `${'line\n'.repeat(20)}end\n`,
  'run.sh': '#!/bin/sh\n',
  'goes.txt': 'gone\n',
  'picture.bin': Buffer.from([0, 1, 2, 3])
})
commit(
  {
    'repeated.txt': repeated('x', 'x', 'y', 'x'),
    'crlf.txt': crlf('one\n2\nthree\nfour\n'),
    'mixed.txt': 'one\r\n2\nthree\r\n4\r\n',
    'open.txt': 'one\n2',
    'mark.txt': '\ufeff1\ntwo\n',
    'latin.txt': Buffer.from('caf\u00e9\nth\u00e9 vert\n', 'latin1'),
    'empty.txt': 'no longer\n',
    'new/folder/file.txt': 'new\n',
    'new/empty.txt': '',
    'new/open.txt': 'no newline',
    'picture.bin': Buffer.from([0, 1, 2, 4])
  },
  () => {
    rmSync(at('goes.txt'))
    renameSync(at('old'), at('moved'))
    writeFileSync(at('moved/name.txt'), `${'line\n'.repeat(20)}the end\n`)
    chmodSync(at('run.sh'), 0o755)
    symlinkSync('run.sh', at('link'))
  }
)
commit({ 'open.txt': 'one\n2\n', 'run.sh': '#!/bin/sh\necho $& \\1 $$\n', 'crlf.txt': 'one\n2\n' })

t.test('calls reproduce a git history', async t => {
  const { stdout } = execaSync(process.execPath, [SCRIPT, folder, '--json'])
  const all = (cases: number) => ({ cases, exact: cases, tolerated: 0, wrong: 0, refused: 0 })
  t.strictSame(JSON.parse(stdout), {
    commits: 2,
    cases: 22,
    table: { edit_file: all(9), multi_edit: all(9), unified: all(2), v4a: all(2) },
    left_out: {
      'binary file': 1,
      'symbolic link': 1,
      'change that V4A cannot say': 2,
      'empty file, in which there is nothing to find': 1,
      'line endings of a whole file that change, which no edit says': 1
    },
    notable: []
  })
})
