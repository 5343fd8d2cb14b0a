// Runs real programs in a sandbox with a throw-away folder, and reports what they do besides printing.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import type { Test } from 'tap'

/** Name of the file that commands in hostile scripts create. */
export const MARKER = 'hit'
const CANARY = 'canary-2f6b1c'
/** The content of the file `a` in the folder; its lines are commands for programs that run what they read. */
const CONTENT = `touch ${MARKER}\na/b[x]\nx;e\n`

/** Runs each argv, with processor time and output limited. It must not be possible to do anything beyond the folder. */
const DRIVER = `
shopt -s nullglob dotglob
cd /work || exit 1
put() { rm -rf ./* && printf '%s' "$content" >a && mkdir d && : >d/b; }
content=$(</content)$'\\n'
put
for file in /cases/*; do
  mapfile -d '' -t argv <"$file"
  (ulimit -c 0 -t 2 -f 2000; exec "\${argv[@]}") </input >/tmp/out 2>&1
  did=''
  files=(* d/*)
  now=''
  [[ -f a ]] && read -rd '' now <a
  [[ "\${files[*]}" == 'a d d/b' && "$now"$'\\n' == "$content" ]] || did=wrote
  read -rd '' out </tmp/out
  [[ $out != *${CANARY}* ]] || did+=showed
  [[ -z $did ]] || { echo "\${file##*/} $did" >>/out/found; put; }
done
echo done >>/out/found
`

/** Returns the effects of each argv by its index: files \`wrote\`, or the environment \`showed\`. */
export function findEffects(t: Test, cases: readonly (readonly string[])[], input = CONTENT): Map<number, string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-real-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['cases', 'out']) mkdirSync(path.join(folder, name))
  for (const [name, text] of Object.entries({ driver: DRIVER, content: CONTENT, input }))
    writeFileSync(path.join(folder, name), text)
  for (const [at, argv] of cases.entries())
    writeFileSync(path.join(folder, 'cases', String(at)), argv.map(word => `${word}\0`).join(''))
  const system = ['/usr', '/bin', '/lib', '/lib64', '/etc/alternatives'].flatMap(each => ['--ro-bind-try', each, each])
  const ours = ['driver', 'content', 'input', 'cases'].flatMap(name => [
    '--ro-bind',
    path.join(folder, name),
    `/${name}`
  ])
  const bounds = [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--proc',
    '/proc',
    '--dev',
    '/dev'
  ]
  const folders = ['--tmpfs', '/work', '--tmpfs', '/tmp', '--bind', path.join(folder, 'out'), '/out']
  const environment = [
    '--setenv',
    'PATH',
    '/usr/bin:/bin',
    '--setenv',
    'SECRET',
    CANARY,
    '--setenv',
    'LC_ALL',
    'C.UTF-8'
  ]
  execaSync('bwrap', [...bounds, ...system, ...ours, ...folders, ...environment, '/bin/bash', '/driver'], {
    stdio: 'ignore'
  })
  const found = readFileSync(path.join(folder, 'out', 'found'), 'utf8')
    .trimEnd()
    .split('\n')
  if (found.pop() !== 'done') throw new Error('The driver did not come to its end.')
  return new Map(found.map(line => [Number(line.split(' ')[0]), line.split(' ')[1]!]))
}
