// node scripts/docs-site.ts [FOLDER]: builds the documentation as a web site, by default in build/site. Its packages, in site, are
// installed on first use.
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import { collectPages } from '../site/pages.ts'

const [target = 'build/site'] = process.argv.slice(2)
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-site-')))
try {
  execaSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  execaSync(process.execPath, ['scripts/install-package.ts', 'site'], { stdio: 'inherit' })
  // Pages import the packages of the site, as modules that are compiled from Markdown.
  symlinkSync(path.resolve('site/node_modules'), path.join(folder, 'node_modules'))
  collectPages(path.join(folder, 'pages'))
  execaSync('site/node_modules/.bin/vitepress', ['build', 'site', '--outDir', path.resolve(target)], {
    env: { SITE_FOLDER: folder },
    stdio: 'inherit'
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
