// A small project in which paths and patterns of the lines resolve.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'

const SOURCE = `import { readFile } from 'node:fs/promises'\n\n// TODO: handle errors\nexport function main(name) {\n  return name\n}\n`
const FILES: Readonly<Record<string, string>> = {
  'package.json': `${JSON.stringify({ name: 'sample', version: '1.0.0', scripts: { test: 'node --test' }, dependencies: { express: '^5' } }, null, 2)}\n`,
  'tsconfig.json': '{}\n',
  'README.md': '# Sample\n\nReports an error.\n',
  'Cargo.toml': '[package]\nname = "sample"\nversion = "1.0.0"\n',
  Makefile: 'all:\n\techo all\n',
  '.gitignore': 'node_modules\n.env\n',
  '.env': 'API_SECRET=correct-horse-battery\n',
  '.github/workflows/ci.yml': 'jobs:\n  test: {}\n',
  'src/index.ts': SOURCE.repeat(20),
  'src/cli.ts': SOURCE,
  'src/lib/format.ts': SOURCE,
  'src/a.txt': 'a\n',
  'test/index.test.ts': SOURCE,
  'docs/guide.md': '# Guide\n',
  'scripts/build.sh': 'echo build\n',
  'data/users.csv': 'id,name\n1,Ada\n2,Alan\n',
  'data/users.json': '[{"name":"Ada","age":36}]\n',
  'data/config.yml': '# names\nname: sample\n',
  'data/numbers.txt': '1\n2\n3\n',
  'folder/file.txt': 'in a folder\n',
  'directory/file.txt': 'in a directory\n',
  ...Object.fromEntries(
    'file file.txt file1 file2 input input.txt in.txt data.txt log.txt bar bar.txt foo document.pdf'
      .split(' ')
      .map(name => [name, `pattern in ${name}\n`])
  )
}
const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']

/** Writes the project, a repository with two commits, to the folder. */
export function writeWorkspace(root: string) {
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), content)
  }
  const git = (...args: readonly string[]) => execaSync('git', [...AUTHOR, ...args], { cwd: root })
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-qm', 'Create the project')
  git('commit', '-qm', 'Change nothing', '--allow-empty')
}
