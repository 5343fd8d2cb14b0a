// Tests of which names count as those of secrets: back-ups of secrets do, folders of source code do not.
// tier: full
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const SECRET = 'hunter-4711'
const SECRETS = [
  '.env~',
  '#.env#',
  '.env.swp',
  '..env.swp',
  '.env.~2~',
  '.env-local',
  '.env_prod',
  '.npmrc~',
  '.pgpass.save',
  'id_rsa~',
  'id_rsa.bak',
  'id_rsa.old.bak',
  '.id_rsa.swp',
  'server.key.bak',
  'private.pem.old',
  'private.pem.orig',
  'private copy.pem',
  'private.pem copy 2',
  'deploy_key',
  'serviceAccountKey.json',
  'app-firebase-adminsdk-1a2b.json',
  'local.settings.json',
  '.databrickscfg',
  'NuGet.Config',
  '.bundle/config',
  '.Renviron',
  'wg0.conf',
  'keystore.properties',
  '.env___jb_tmp___',
  '.env,v',
  'app/credentials',
  'etc/shadow',
  'backup/.ssh~/config'
]
const HARMLESS = [
  // Firebase: its keys identify a project, and grant nothing by themselves.
  'android/app/google-services.json',
  'ios/GoogleService-Info.plist',
  'src/shadow/index.ts',
  'src/credentials/form.tsx',
  'id_rsa/notes.txt',
  'test/auth.json/case.txt',
  '.env.example~',
  '.env-example',
  'src/old.ts',
  'src/index.ts.orig',
  'key.md',
  'copy.txt~'
]

t.test('secrets and their back-ups ask, and are left out of searches', async t => {
  const files = Object.fromEntries([...SECRETS, ...HARMLESS].map(name => [name, `value = "${SECRET}"\n`]))
  const { call } = await startApp(t, files)
  for (const path of SECRETS)
    t.match(await call('read_file', { path }), { status: 'awaiting_approval', approval: { level: 'strict' } }, path)
  for (const path of HARMLESS) t.match(await call('read_file', { path }), { status: 'success' }, path)
  const found = async (tool: string, params: object) => {
    const { result } = await call(tool, { ...params, include_hidden: true, no_ignore: true })
    return result.data
  }
  const { result } = await call('grep', { pattern: SECRET, mode: 'files', no_ignore: true, limit: 500 })
  t.same(result.data.matches.map(({ path }: { path: string }) => path).toSorted(), HARMLESS.toSorted())
  const { files: listed } = await found('glob', { pattern: '**/*' })
  t.same(listed.toSorted(), HARMLESS.toSorted())
  t.match(await call('grep', { pattern: SECRET, path: 'app/credentials' }), { error: { code: 'SENSITIVE_PATH' } })
})

t.test('programs that run unasked cannot read them', needs('bwrap'), async t => {
  const { sandbox } = defaultSettings()
  const files = Object.fromEntries([...SECRETS, ...HARMLESS].map(name => [name, `${SECRET} in ${name}\n`]))
  const { call } = await startApp(t, files, { settings: { sandbox } })
  const { result, approved_by } = await call('run_code', { language: 'bash', code: `grep -rl ${SECRET} . 2>&-` })
  t.match(approved_by, { source: 'auto' })
  t.same(result.data.stdout.trimEnd().split('\n').toSorted(), HARMLESS.map(name => `./${name}`).toSorted())
})
