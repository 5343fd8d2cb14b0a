// Tests of starts that fail because the files of the server cannot be used: one line with the cause, the path and what to do.
// tier: full
import { chmodSync, chownSync, globSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { needs } from '../../../support/needs.ts'
import { needsReach, ORDINARY_ID } from '../../../support/other-user.ts'
import { createProject, UNSANDBOXED } from '../../toolgate.ts'

const ANOTHER_FOLDER = 'or use another folder: set TOOLGATE_STATE_DIR.'

type Project = ReturnType<typeof createProject>
const folderOf = ({ folder }: Project) => path.join(folder, 'states')
const envOf = (place: Project) => ({ ...UNSANDBOXED, TOOLGATE_STATE_DIR: folderOf(place) })

/** Serves the project once, and returns the state folder. */
async function beginState(place: Project): Promise<string> {
  const { ended, process } = await place.serveIn(envOf(place))
  process.kill('SIGTERM')
  await ended
  return globSync(path.join(folderOf(place), 'workspaces/*'))[0]!
}

/** Starts the program in all forms; `expected` is what it reports after its name. */
async function checkReport(t: Test, place: Project, expected: string | RegExp) {
  for (const flags of [[], ['--ready', 'json'], ['--detach'], ['--json']]) {
    const { code, stdout, stderr } = await place.program(['serve', ...flags], { env: envOf(place) })
    t.same({ code, stdout, lines: stderr.split('\n').length - 1 }, { code: 1, stdout: '', lines: 1 }, flags.join(' '))
    const said = flags.includes('--json') ? readJsonReport(stderr) : stderr
    if (typeof expected !== 'string') t.match(said, expected, flags.join(' '))
    else if (flags.includes('--detach'))
      t.match(said, new RegExp(`^toolgate: (?:The server did not start: toolgate: )?${quote(expected)}`))
    else t.equal(said, `toolgate: ${expected}\n`, flags.join(' '))
  }
}

/** Returns the text of a report in JSON as it is without --json. */
function readJsonReport(text: string): string {
  const { code, message, hint } = JSON.parse(text).error
  return code === 'STATE_UNUSABLE' ? `toolgate: ${message} ${hint}\n` : text
}

const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

t.test('files that are damaged, or something else', async t => {
  const place = createProject(t)
  const state = await beginState(place)
  const lock = path.join(state, 'lock.db')
  const journal = path.join(state, 'journal.db')

  writeFileSync(lock, 'garbage'.padEnd(2_000))
  await checkReport(
    t,
    place,
    `The server cannot use ${lock}: the file is damaged (file is not a database). The file contains no data, so remove it: rm ${lock}`
  )
  rmSync(lock)

  const db = new DatabaseSync(journal)
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  db.exec('PRAGMA user_version = 99')
  await checkReport(
    t,
    place,
    `The server cannot use ${journal}: the file was written by a newer version of Toolgate (cannot open the journal ${journal}: the journal has format 99, but this version supports only up to ${user_version}: use the newer version of Toolgate that wrote the journal). Install that version of Toolgate or a newer one, and start the server.`
  )
  db.exec(`PRAGMA user_version = ${user_version}`)
  db.close()

  renameSync(journal, `${journal}.whole`)
  mkdirSync(journal)
  await checkReport(
    t,
    place,
    new RegExp(
      quote(`The server cannot use ${journal}: the path is a folder, not a file (`) +
        '[\\w /]+\\)\\. ' +
        quote(`Move the folder away: mv ${journal} ${journal}.old`)
    )
  )
  rmSync(journal, { recursive: true })
  renameSync(`${journal}.whole`, journal)

  rmSync(state, { recursive: true })
  writeFileSync(state, '')
  await checkReport(
    t,
    place,
    `The server cannot use ${state}: a file exists where a folder is required (EEXIST). Move ${state} away, ${ANOTHER_FOLDER}`
  )
  rmSync(state)
  symlinkSync(path.join(place.folder, 'missing'), state)
  await checkReport(t, place, / cannot use .*Check |accessible to other users/)
  rmSync(state)
  const again = await place.serveIn(envOf(place))
  again.process.kill('SIGTERM')
  t.match(await again.ended, { code: 0 }, 'the next start succeeds')
})

/** Prefix that runs a script in a mount namespace first; it finds the folder of the project in $FOLDER. */
const mounted = (script: string) => [
  'unshare',
  '--mount',
  'sh',
  '-ec',
  `S="$TOOLGATE_STATE_DIR"; mkdir -p "$S"; { ${script}; } >/dev/null 2>&1; exec "$@"`,
  'sh'
]

const FULL_DISKS = [
  { name: 'no inode for the folder', script: 'mount -t tmpfs -o nr_inodes=1 tmpfs "$S"', file: '' },
  { name: 'no inode for the lock', script: 'mount -t tmpfs -o nr_inodes=3 tmpfs "$S"', file: '/lock.db' },
  { name: 'no inode beside the lock', script: 'mount -t tmpfs -o nr_inodes=4 tmpfs "$S"', file: '/lock.db' },
  {
    name: 'no bytes',
    script: 'mount -t tmpfs -o size=64k tmpfs "$S"; head -c 100000 /dev/zero > "$S/filler" || true',
    file: '/lock.db'
  }
]

t.test('a full disk', needs('mount'), async t => {
  for (const { name, script, file } of FULL_DISKS)
    await t.test(name, async t => {
      const place = createProject(t, {}, mounted(script))
      await checkReport(
        t,
        place,
        new RegExp(
          `The server cannot use ${quote(folderOf(place))}/workspaces/\\w+${quote(file)}: the disk is full \\([\\w ]+\\)\\. ` +
            `Free some space on the disk of ${quote(folderOf(place))}/workspaces[/\\w]*, ${quote(ANOTHER_FOLDER)}`
        )
      )
    })
})

t.test('a disk that fills up at the journal', needs('mount'), async t => {
  // The lock needs a page and a journal for a moment; the journal more.
  for (const size of ['12k', '16k', '24k', '40k', '64k', '96k']) {
    const place = createProject(t, {}, mounted(`mount -t tmpfs -o size=${size} tmpfs "$S"`))
    await checkReport(
      t,
      place,
      / cannot use .*: the disk is full \(|The server did not start: nothing could be written/
    )
  }
})

t.test('a file system that is read-only', needs('mount'), async t => {
  const readOnly = 'mount --bind "$S" "$S"; mount -o remount,bind,ro "$S"'
  const place = createProject(t, {}, mounted(`[ -e "$HOME/writable" ] || { ${readOnly}; }`))
  const workspaces = path.join(folderOf(place), 'workspaces')
  await checkReport(t, place, / cannot use \S+: the file system is read-only \(ENOENT\)\. Make the file system of /)
  const switched = path.join(place.home, 'writable')
  writeFileSync(switched, '')
  const state = await beginState(place)
  t.equal(path.dirname(state), workspaces)
  rmSync(switched)
  await checkReport(
    t,
    place,
    `The server cannot use ${state}/lock.db: the file system is read-only (EROFS). Make the file system of ${state} writable, ${ANOTHER_FOLDER}`
  )
})

t.test('no permission', { ...needs('root'), ...needsReach() }, async t => {
  const place = createProject(t, {}, ['setpriv', `--reuid=${ORDINARY_ID}`, `--regid=${ORDINARY_ID}`, '--clear-groups'])
  mkdirSync(folderOf(place))
  for (const folder of [place.folder, place.home, place.project]) chownSync(folder, ORDINARY_ID, ORDINARY_ID)
  await checkReport(
    t,
    place,
    new RegExp(
      ` cannot use \\S+: permission denied \\(E\\w+\\)\\. Make your user the owner of \\S+ and its contents, ${quote(ANOTHER_FOLDER)}`
    )
  )
  chownSync(folderOf(place), ORDINARY_ID, ORDINARY_ID)
  chmodSync(folderOf(place), 0o700)
  const state = await beginState(place)
  chownSync(path.join(state, 'lock.db'), 0, 0)
  await checkReport(
    t,
    place,
    `The server cannot use ${state}/lock.db: permission denied (EACCES). Make your user the owner of ${state} and its contents, ${ANOTHER_FOLDER}`
  )
})
