// Installs the packages of a folder that has its own lock file, unless they are installed already: node
// scripts/install-package.ts tools
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Usage: node scripts/install-package.ts <folder>')

const stamp = path.join(folder, 'node_modules/.installed')
const locked = createHash('sha256')
  .update(readFileSync(path.join(folder, 'package-lock.json')))
  .digest('hex')
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== locked) {
  console.error(`Installing the packages of ${folder} …`)
  const { execaSync } = await import('execa')
  execaSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  writeFileSync(stamp, locked)
}
