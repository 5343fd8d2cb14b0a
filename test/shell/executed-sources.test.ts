// Tests of what command lines execute besides their text. Nothing here is ever run.
// tier: quick
import t from 'tap'
import { UNKNOWN } from '../../src/shell/executed/source-finder.ts'
import { type Files, find, pkg, words } from './executed-sources-fixture.ts'

/** Line, files, the sources as `path` or `path#entry`, sentences or their names, and the folder of the command. */
type Case = readonly [string, string | Files, string, string | readonly string[], string?]

const SENTENCES: Readonly<Record<string, string>> = {
  ...UNKNOWN,
  words: 'Not all words of the command are literal, so files that they name are not listed.',
  folder: 'The working directory of a command cannot be determined, so the files that it executes are not listed.',
  levels: 'The list of executed files is incomplete: scripts run other scripts at too many levels.'
}

const WEB: Files = {
  'package.json': pkg({
    pretest: 'sh pre',
    test: 'jest',
    posttest: './post',
    build: 'npm run lint && vite build',
    lint: 'eslint .',
    'build:a': 'sh a',
    'build:b': 'sh b',
    all: 'run-s build:* lint',
    par: 'concurrently "npm:build:*" "sh c"',
    prepare: 'husky',
    postinstall: 'node i.js'
  }),
  pre: '',
  post: '',
  a: '',
  b: '',
  c: '',
  'i.js': '',
  'jest.config.js': '',
  'babel.config.js': '',
  'vite.config.ts': '',
  'eslint.config.js': '',
  'node_modules/.bin/jest': '',
  '.npmrc': '',
  '.husky/pre-commit': ''
}
const WORKSPACE: Files = {
  'package.json': '{"name":"root","workspaces":["packages/*","tools/cli"],"scripts":{"test":"sh root"}}',
  'packages/a/package.json': '{"name":"@x/a","scripts":{"test":"sh t"}}',
  'packages/a/t': '',
  'tools/cli/package.json': '{"name":"cli","scripts":{"test":"sh u"}}',
  'tools/cli/u': '',
  root: '',
  'pnpm-workspace.yaml': 'packages:\n  - "packages/*"\n'
}
const COMPOSER: Files = {
  'composer.json': JSON.stringify({
    scripts: {
      test: ['@lint', '@php x.php', 'phpunit'],
      lint: 'sh l',
      'post-install-cmd': 'App\\Hooks::run',
      'pre-install-cmd': '@putenv A=1',
      loop: ['@loop', '@composer test'],
      'post-package-install': 'sh p'
    }
  }),
  'x.php': '',
  l: '',
  p: '',
  'vendor/bin/phpunit': '',
  'phpunit.xml.dist': ''
}
const MAKE: Files = {
  Makefile:
    'include common.mk $(X).mk\nall: x\n\t@./build.sh\n\t-sh y && npm test\n\t$(MAKE) -C sub\n\t$(CC) -c x.c\n\techo sh z\n',
  'build.sh': '',
  y: '',
  z: '',
  'common.mk': 'b:\n\tpython3 $(F) gen.py\n',
  'gen.py': '',
  'sub/Makefile': 'c:\n\t./c\n',
  'sub/c': '',
  'package.json': pkg({ test: 'tap' })
}

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'wrappers and syntax': [
    ['env A=1 sh x', 'x', 'x', 'scripts'],
    [
      'timeout 5 npm test',
      { 'package.json': '{"scripts":{"test":"sh x"}}', x: '' },
      'package.json#scripts.test x',
      'scripts packages'
    ],
    ["bash -c 'sh x && make'", 'x Makefile', 'x Makefile', 'scripts recipes'],
    ['cd sub && ./x', 'x sub/x', 'sub/x', 'scripts'],
    ['cd sub && bash -c "cd deep && ./x"', 'sub/deep/x deep/x', 'sub/deep/x', 'scripts'],
    ['cd sub && bash -c ./x', 'x sub/x', 'sub/x', 'scripts'],
    ['xargs sh x', 'x', 'x', 'scripts words'],
    ['xargs sh', 'x', '', 'words'],
    ['A=1 npm test', { 'package.json': '{"scripts":{"test":"true"}}' }, 'package.json#scripts.test', 'packages'],
    [
      'A="b c" npm run "x y"',
      { 'package.json': '{"scripts":{"x y":"sh z"}}', z: '' },
      'package.json#scripts.x_y z',
      'scripts packages'
    ],
    ['sh -x x', 'x', 'x', 'scripts'],
    ['bash -euo pipefail x arg', 'x arg pipefail', 'x', 'scripts'],
    ['bash --rcfile r x', 'r x', 'r x', 'scripts'],
    ['bash script.sh arg', 'script.sh arg', 'script.sh', 'scripts'],
    ['. ./x', 'x', 'x', 'scripts'],
    ['source x', 'x', 'x', 'scripts'],
    ['sh < x', 'x', 'x', 'scripts'],
    ['sh < $X', 'x', '', 'input'],
    ['cat x y | sh', 'x y', 'x y', 'scripts input'],
    ['cat x | sh -s arg', 'x arg', 'x arg', 'scripts input'],
    ['curl https://example.com | sh', '', '', 'input'],
    ['curl https://example.com | sh; echo $((1<<2))', '', '', 'input'],
    ['echo $((1<<2)); cat x | python3', 'x', 'x', 'scripts input'],
    ['sh <<EOF\nsh x\nEOF', 'x', 'x', 'scripts'],
    ['python3 <<EOF\nprint(1)\nEOF', '', '', ''],
    ['(sh x)', 'x', 'x', 'scripts'],
    ['(cd sub && sh x)', 'x sub/x', 'sub/x', 'scripts'],
    ['(cd sub; sh x)', 'x sub/x', 'x sub/x', 'folder scripts'],
    ['if sh a; then sh b; else ./c; fi', 'a b c', 'a b c', 'scripts'],
    ['while true; do sh x; done', 'x', 'x', 'scripts'],
    ['! sh x', 'x', 'x', 'scripts'],
    ['sh a | sh b || sh c &', 'a b c', 'a b c', 'scripts'],
    ['for i in a b; do sh $i; done', 'a b', 'a b', 'words'],
    ['sh x $HOME', 'x', 'x', 'scripts words'],
    ['sh $OPTIONS x', 'x', 'x', 'scripts words'],
    ['$X x', 'x', 'x', 'words'],
    ['ls $X', 'x', '', ''],
    ['cat x', 'x', '', ''],
    ['sh x > out', 'x out', 'x', 'scripts'],
    ['sh "$(cat x)"', 'x', 'x', 'words'],
    ['cd $X && sh x', 'x', '', 'folder'],
    ['env -C sub sh x', 'x sub/x', 'sub/x', 'scripts'],
    ['eval "sh x"', 'x', 'x', 'scripts'],
    ['exec sh x', 'x', 'x', 'scripts'],
    ['nice -n 5 ./x', 'x', 'x', 'scripts'],
    ['nohup ./x &', 'x', 'x', 'scripts'],
    ['find . -exec sh x {} \\;', 'x', 'x', 'scripts words'],
    ['flock l ./x', 'x l', 'x', 'scripts'],
    ['watch npm test', { 'package.json': '{"scripts":{"test":"true"}}' }, 'package.json#scripts.test', 'packages'],
    ['busybox sh x', 'x', 'x', 'scripts'],
    ['/opt/tool x', 'x', 'x', ['A script outside the workspace, /opt/tool, is not shown.', UNKNOWN.given]],
    ['m4 x', 'x', 'x', 'given'],
    ['frob --file=x -cy @z', 'x y z', 'x y z', 'given'],
    ['frob x < y', 'x y', 'x y', 'given'],
    ['cat x | frob', 'x', 'x', 'given'],
    ['frob -v', 'x', '', ''],
    ['sh -c "frob x"', 'x', 'x', 'given'],
    ['gcc -fplugin=x a.c -o b', 'x a.c b', 'x', 'named'],
    ['ffmpeg -i x y', 'x y', '', ''],
    ['cp x y', 'x y', '', ''],
    ['env BASH_ENV=x bash -c true', 'x', 'x', ''],
    ['export BASH_ENV=x; make', 'x', 'x', ''],
    ['LD_PRELOAD=/opt/a:./x make', 'x', 'x', ''],
    ['PATH=/usr/bin:. make', '', '', ''],
    ['env -S "sh x"', 'x', 'x', 'scripts'],
    ['R CMD BATCH x', 'x', 'x', 'given'],
    ['/bin/sh x', 'x', 'x', 'scripts'],
    ['sh /opt/x', '', '', ['A script outside the workspace, /opt/x, is not shown.']],
    ['sh ../x', 'x', '', ['A script outside the workspace, ../x, is not shown.']],
    ['sh ~/x', 'x', '', 'words'],
    ['sh /dev/stdin', '', '', ''],
    ['./sub/../x', 'x', 'x', 'scripts'],
    ['sh x; sh x', 'x', 'x', 'scripts'],
    ['BASH_ENV=e bash x', 'e x', 'x e', 'scripts'],
    ['NODE_OPTIONS="--require ./r.js" node x.js', 'r.js x.js', 'x.js r.js', 'scripts'],
    ['cross-env A=1 node x.js', 'x.js', 'x.js', 'scripts'],
    ["cross-env-shell A=1 'node x.js && sh y'", 'x.js y', 'x.js y', 'scripts'],
    ['dotenv -e .env -- node x.js', 'x.js', 'x.js', 'scripts'],
    ['nyc --reporter text mocha', '.mocharc.cjs .nycrc', '.mocharc.cjs .nycrc', 'tests'],
    ['nodemon x.js', 'x.js', 'x.js', 'scripts'],
    ['nodemon --exec "sh x" --ext ts', 'x', 'x', 'scripts'],
    ["hyperfine 'sh x' 'sh y'", 'x y', 'x y', 'scripts'],
    ['xvfb-run -a ./x', 'x', 'x', 'scripts'],
    ['strace -f ./x', 'x', 'x', 'scripts'],
    ['', 'x', '', ''],
    ['sh', 'x', '', ''],
    ['sh -c "sh $X"', 'x', '', 'words'],
    ['export A=1 && sh x', 'x', 'x', 'scripts'],
    ['rm -rf x', 'x', '', ''],
    ['git commit -m x', 'x', '', '']
  ],
  interpreters: [
    ['python x.py', 'x.py', 'x.py', 'scripts'],
    ['python3.12 -W error x.py y.py', 'x.py y.py error', 'x.py', 'scripts'],
    ['python -m mod.sub', 'mod/sub.py mod/__init__.py', 'mod/sub.py', 'scripts'],
    ['python -m mod', 'mod/__main__.py mod/__init__.py', 'mod/__init__.py mod/__main__.py', 'scripts'],
    ['python -m pytest', 'conftest.py', 'conftest.py', 'tests'],
    ['python -m http.server', '', '', 'packages'],
    ['python dir', 'dir/__main__.py', 'dir/__main__.py', 'scripts'],
    ['python -c "import x"', 'x.py', '', 'scripts'],
    ['python --version', 'x', '', ''],
    ['node x', 'x.js x.ts', 'x.js', 'scripts'],
    [
      'node dir',
      { 'dir/package.json': '{"main":"lib/m.js"}', 'dir/lib/m.js': '', 'dir/index.js': '' },
      'dir/package.json#main dir/lib/m.js',
      'scripts'
    ],
    ['node dir', 'dir/index.js', 'dir/index.js', 'scripts'],
    ['node .', { 'package.json': '{"main":"m.js"}', 'm.js': '' }, 'package.json#main m.js', 'scripts'],
    ['node --require ./r x.js', 'r.js x.js', 'r.js x.js', 'scripts'],
    ['node -r pkg x.js', 'x.js', 'x.js', 'scripts'],
    ['node --import=./i.mjs x.js', 'i.mjs x.js', 'i.mjs x.js', 'scripts'],
    ['node -e "require(1)"', '', '', 'scripts'],
    ['node -pe 1 x.js', 'x.js', '', 'scripts'],
    ['node --test', 'x.test.js', '', 'tests'],
    ['node --test x.test.js', 'x.test.js', 'x.test.js', 'tests'],
    [
      'node --run build',
      { 'package.json': '{"scripts":{"prebuild":"sh p","build":"sh b"}}', b: '', p: '' },
      'package.json#scripts.build b',
      'scripts'
    ],
    ['node --watch x.js', 'x.js', 'x.js', 'scripts'],
    ['tsx watch x.ts', 'x.ts', 'x.ts', 'scripts'],
    ['tsx x.ts', 'x.ts', 'x.ts', 'scripts'],
    ['ts-node -P tsconfig.json x.ts', 'x.ts tsconfig.json', 'x.ts', 'scripts'],
    ['deno run -A x.ts', 'x.ts', 'x.ts', 'scripts'],
    ['deno x.ts', 'x.ts', 'x.ts', 'scripts'],
    ['deno test', 'deno.json', 'deno.json', 'tests'],
    [
      'deno task b',
      {
        'deno.json': '{ // tasks\n "tasks": {"a": "sh x", "b": {"command": "deno run y.ts", "dependencies": ["a"]},} }',
        x: '',
        'y.ts': ''
      },
      'deno.json#tasks.b deno.json#tasks.a x y.ts deno.json',
      'scripts'
    ],
    [
      'deno task build',
      { 'package.json': '{"scripts":{"build":"sh x"}}', x: '' },
      'package.json#scripts.build x',
      'packages scripts'
    ],
    ['bun x.ts', 'x.ts', 'x.ts', 'scripts'],
    ['bun run x.ts', 'x.ts', 'x.ts', 'scripts'],
    [
      'bun run b',
      { 'package.json': '{"scripts":{"b":"sh x"}}', x: '' },
      'package.json#scripts.b x',
      'scripts packages'
    ],
    ['bun b', { 'package.json': '{"scripts":{"b":"sh x"}}', x: '' }, 'package.json#scripts.b x', 'scripts packages'],
    ['bun test', 'bunfig.toml', '', 'tests'],
    ['bun --preload ./p.ts run x.ts', 'p.ts x.ts', 'p.ts x.ts', 'scripts'],
    ['go run x.go y.go z', 'x.go y.go z', 'x.go y.go', 'scripts'],
    ['go run ./cmd', 'cmd/main.go', 'cmd/main.go', 'scripts'],
    ['go run .', 'main.go', 'main.go', 'scripts'],
    ['go test ./...', '', '', 'tests'],
    ['go generate', '', '', ['Not shown: commands of go:generate directives.']],
    ['go build', 'main.go', '', ''],
    ['php -f x.php', 'x.php', 'x.php', 'scripts'],
    ['php -d a=b x.php', 'x.php', 'x.php', 'scripts'],
    ['php artisan migrate', 'artisan', 'artisan', 'scripts'],
    ['perl -w x.pl', 'x.pl', 'x.pl', 'scripts'],
    ["perl -pi -e 's/a/b/' x", 'x', '', 'scripts'],
    ['ruby -Ilib x.rb', 'x.rb', 'x.rb', 'scripts'],
    ['ruby -r./r.rb x.rb', 'r.rb x.rb', 'r.rb x.rb', 'scripts'],
    ['Rscript x.R', 'x.R', 'x.R', 'scripts'],
    ['java X.java', 'X.java', 'X.java', 'scripts'],
    ['java -cp lib -jar x.jar a.java', 'x.jar lib a.java', 'x.jar lib', 'scripts'],
    ['java Main', 'Main', 'Main', 'scripts'],
    ['java Main', 'Other', '', ''],
    ['java @args -javaagent:a.jar=x Main', 'args a.jar', 'args a.jar', ''],
    ['swift x', 'x', 'x', 'scripts'],
    ['go run main.go', 'main.go', 'main.go', 'scripts'],
    ['git -c core.pager=./x log', 'x', 'x', 'named scripts'],
    ['psql -f x', 'x', 'x', 'scripts'],
    ['mysql < x', 'x', 'x', 'scripts'],
    ['kubectl apply -f x', 'x', 'x', 'scripts'],
    ['crontab x', 'x', 'x', 'named'],
    ['tmux source-file x', 'x', 'x', 'named'],
    ['swift x.swift', 'x.swift', 'x.swift', 'scripts'],
    ['swift build', 'Package.swift', 'Package.swift', 'build'],
    ['elixir x.exs', 'x.exs', 'x.exs', 'scripts'],
    ['lua x.lua', 'x.lua', 'x.lua', 'scripts'],
    ['julia --project=. x.jl', 'x.jl', 'x.jl', 'scripts'],
    ['nix-shell x.nix', 'x.nix shell.nix', 'x.nix', 'packages'],
    ['nix-shell', 'shell.nix default.nix', 'shell.nix', 'packages'],
    ['nix-shell -p hello --run "sh x"', 'x hello', 'x', 'scripts packages'],
    ['osascript x.scpt', 'x.scpt', 'x.scpt', 'scripts'],
    ["osascript -e 'beep' x", 'x', '', 'scripts'],
    ['pwsh -File x.ps1', 'x.ps1', 'x.ps1', 'scripts'],
    ['pwsh x.ps1', 'x.ps1', 'x.ps1', 'scripts'],
    ['emacs --batch --script x.el y', 'x.el y', 'x.el', 'scripts'],
    ['emacs -batch -l x.el', 'x.el', 'x.el', 'scripts'],
    ['vim -S x.vim y', 'x.vim y', 'x.vim', 'scripts'],
    ['vim y', 'y', '', ''],
    ['gdb -x x.gdb ./prog', 'x.gdb prog', 'x.gdb', 'scripts'],
    ['sqlite3 db < x', 'x db', 'x', 'given'],
    ['sqlite3 -init x db', 'x db', 'x', 'scripts'],
    ['awk -f x.awk data', 'x.awk data', 'x.awk', 'scripts'],
    ["awk '{print}' data", 'data', '', ''],
    ['sed -f x.sed data', 'x.sed data', 'x.sed', 'scripts'],
    ['expect -f x.exp', 'x.exp', 'x.exp', 'scripts'],
    [
      'ansible-playbook -i hosts x.yml',
      'x.yml hosts ansible.cfg',
      'hosts x.yml ansible.cfg',
      ['scripts', 'Not shown: roles and inventories.']
    ],
    ['streamlit run x.py', 'x.py', 'x.py', 'scripts'],
    ['scala x.sc', 'x.sc', 'x.sc', 'scripts'],
    ['osascript', '', '', '']
  ],
  'package managers': [
    [
      'npm test',
      WEB,
      'package.json#scripts.pretest pre package.json#scripts.test node_modules/.bin/jest jest.config.js babel.config.js package.json#scripts.posttest post',
      'scripts packages tests'
    ],
    [
      'npm t',
      WEB,
      'package.json#scripts.pretest pre package.json#scripts.test node_modules/.bin/jest jest.config.js babel.config.js package.json#scripts.posttest post',
      'scripts packages tests'
    ],
    [
      'npm run build',
      WEB,
      'package.json#scripts.build package.json#scripts.lint eslint.config.js vite.config.ts',
      'plugins packages build'
    ],
    [
      'npm run build -- --flag',
      WEB,
      'package.json#scripts.build_--flag package.json#scripts.lint eslint.config.js vite.config.ts',
      'plugins packages build'
    ],
    ['npm run', WEB, '', ''],
    [
      'npm run all',
      WEB,
      'package.json#scripts.all package.json#scripts.build:a a package.json#scripts.build:b b package.json#scripts.lint eslint.config.js',
      'packages scripts plugins'
    ],
    [
      'npm run par',
      WEB,
      'package.json#scripts.par package.json#scripts.build:a a package.json#scripts.build:b b c',
      'packages scripts'
    ],
    ['npm run-script lint', WEB, 'package.json#scripts.lint eslint.config.js', 'plugins packages'],
    [
      'npm install',
      WEB,
      'package.json#scripts.postinstall i.js package.json#scripts.prepare .husky/pre-commit',
      'scripts packages'
    ],
    ['npm ci --ignore-scripts', WEB, '', ''],
    ['npm install lodash', WEB, '', 'packages'],
    [
      'npm it',
      WEB,
      'package.json#scripts.pretest pre package.json#scripts.test node_modules/.bin/jest jest.config.js babel.config.js package.json#scripts.posttest post package.json#scripts.postinstall i.js package.json#scripts.prepare .husky/pre-commit',
      'scripts packages tests'
    ],
    ['npm run missing', WEB, '', ''],
    ['npm ls', WEB, '', ''],
    ['npm --version', WEB, '', ''],
    ['npm start', { 'package.json': '{}', 'server.js': '' }, 'server.js', ''],
    [
      'npm restart',
      { 'package.json': '{"scripts":{"prestart":"sh x","start":"sh y","restart":"sh z"}}', x: '', y: '', z: '' },
      'package.json#scripts.restart z package.json#scripts.prestart x package.json#scripts.start y',
      'scripts packages'
    ],
    [
      'npm --prefix web test',
      { 'web/package.json': '{"scripts":{"test":"sh t"}}', 'web/t': '', 'package.json': '{"scripts":{"test":"sh u"}}' },
      'web/package.json#scripts.test web/t',
      'scripts packages'
    ],
    [
      'npm -C web test',
      { 'web/package.json': '{"scripts":{"test":"sh t"}}', 'web/t': '' },
      'web/package.json#scripts.test web/t',
      'scripts packages'
    ],
    [
      'npm test',
      { 'package.json': '{"scripts":{"test":"sh t"}}', t: '' },
      'package.json#scripts.test t',
      'scripts packages',
      'src/deep'
    ],
    [
      'cd src && npm test',
      { 'package.json': '{"scripts":{"test":"sh t"}}', t: '' },
      'package.json#scripts.test t',
      'scripts packages'
    ],
    ['npm test -w @x/a', WORKSPACE, 'packages/a/package.json#scripts.test packages/a/t', 'scripts packages'],
    [
      'npm test --workspace=packages/a',
      WORKSPACE,
      'packages/a/package.json#scripts.test packages/a/t',
      'scripts packages'
    ],
    ['npm test -w cli', WORKSPACE, 'tools/cli/package.json#scripts.test tools/cli/u', 'scripts packages'],
    [
      'npm test -w other',
      WORKSPACE,
      '',
      ['A package of the workspace cannot be found by its name, so its scripts are not listed.']
    ],
    ['npm test -ws', WORKSPACE, 'package.json#scripts.test root', 'workspaces scripts packages'],
    ['pnpm --filter @x/a test', WORKSPACE, 'packages/a/package.json#scripts.test packages/a/t', 'scripts packages'],
    ['pnpm --filter "./packages/*" test', WORKSPACE, '', 'workspaces'],
    ['pnpm -r test', WORKSPACE, 'pnpm-workspace.yaml package.json#scripts.test root', 'workspaces scripts packages'],
    ['pnpm -w test', WORKSPACE, 'pnpm-workspace.yaml package.json#scripts.test root', 'scripts packages', 'packages/a'],
    ['yarn workspace @x/a test', WORKSPACE, 'packages/a/package.json#scripts.test packages/a/t', 'scripts packages'],
    [
      'yarn workspace @x/a run test',
      WORKSPACE,
      'packages/a/package.json#scripts.test packages/a/t',
      'scripts packages'
    ],
    ['yarn workspaces foreach run test', WORKSPACE, '', 'workspaces'],
    ['pnpm lint', WEB, 'package.json#scripts.lint eslint.config.js', 'plugins packages'],
    ['pnpm run lint', WEB, 'package.json#scripts.lint eslint.config.js', 'plugins packages'],
    ['pnpm exec eslint .', WEB, 'eslint.config.js', 'packages plugins'],
    ['pnpm dlx cowsay', WEB, '', 'packages'],
    ['pnpm eslint .', WEB, 'eslint.config.js', 'plugins'],
    [
      'pnpm add x',
      WEB,
      'package.json#scripts.postinstall i.js package.json#scripts.prepare .husky/pre-commit',
      'scripts packages'
    ],
    [
      'yarn',
      WEB,
      'package.json#scripts.postinstall i.js package.json#scripts.prepare .husky/pre-commit',
      'scripts packages'
    ],
    ['yarn lint', WEB, 'package.json#scripts.lint eslint.config.js', 'plugins packages'],
    ['yarn jest', WEB, 'node_modules/.bin/jest jest.config.js babel.config.js', 'packages tests'],
    [
      'yarn test',
      {
        'package.json':
          '{"scripts":{"pretest":"sh pre","test":"jest","posttest":"./post","build":"npm run lint && vite build","lint":"eslint .","build:a":"sh a","build:b":"sh b","all":"run-s build:* lint","par":"concurrently \\"npm:build:*\\" \\"sh c\\"","prepare":"husky","postinstall":"node i.js"}}',
        pre: '',
        post: '',
        a: '',
        b: '',
        c: '',
        'i.js': '',
        'jest.config.js': '',
        'babel.config.js': '',
        'vite.config.ts': '',
        'eslint.config.js': '',
        'node_modules/.bin/jest': '',
        '.npmrc': '',
        '.husky/pre-commit': '',
        '.yarnrc.yml': 'nodeLinker: pnp\nyarnPath: .yarn/releases/y.cjs\n',
        '.yarn/releases/y.cjs': '',
        '.pnp.cjs': ''
      },
      '.yarnrc.yml .pnp.cjs .yarn/releases/y.cjs package.json#scripts.pretest pre package.json#scripts.test node_modules/.bin/jest jest.config.js babel.config.js package.json#scripts.posttest post',
      'scripts packages tests'
    ],
    ['yarn dlx cowsay', WEB, '', 'packages'],
    ['bun run lint', WEB, 'package.json#scripts.lint eslint.config.js', 'plugins packages'],
    ['bunx jest', WEB, 'node_modules/.bin/jest jest.config.js babel.config.js', 'packages tests'],
    [
      'bun install',
      WEB,
      'package.json#scripts.postinstall i.js package.json#scripts.prepare .husky/pre-commit',
      'scripts packages'
    ],
    ['npx jest', WEB, 'node_modules/.bin/jest jest.config.js babel.config.js', 'packages tests'],
    ['npx -y jest@29 --ci', WEB, 'node_modules/.bin/jest jest.config.js babel.config.js', 'packages tests'],
    ['npx tsc', WEB, '', 'packages'],
    ['npx -p a -c "sh a"', WEB, 'a', 'scripts'],
    ['npm exec -- jest', WEB, 'node_modules/.bin/jest jest.config.js babel.config.js', 'packages tests'],
    ['npx --no-install jest', WEB, 'node_modules/.bin/jest jest.config.js babel.config.js', 'packages tests'],
    ['npx ./a', WEB, 'a', 'packages scripts'],
    ['npx @playwright/test test', { 'playwright.config.ts': '' }, 'playwright.config.ts', 'packages tests'],
    ['npm test', { 'package.json': '{ not json' }, 'package.json', ['The scripts of package.json cannot be read.']],
    ['npm test', { 'package.json': '[]' }, 'package.json', ['The scripts of package.json cannot be read.']],
    ['npm test', { 'package.json': '{"scripts":{"test":1,"pretest":null}}' }, '', 'packages'],
    ['npm test', { 'package.json': '{"scripts":["a"]}' }, '', ''],
    ['npm test', {}, '', ''],
    ['npm run constructor', WEB, '', ''],
    ['npm run __proto__', WEB, '', ''],
    ['npm run $X', WEB, '', 'words'],
    [
      'npm run a',
      { 'package.json': '{"scripts":{"a":"npm run b","b":"npm run a"}}' },
      'package.json#scripts.a package.json#scripts.b',
      'packages'
    ],
    [
      'npm run a',
      {
        'package.json':
          '{"scripts":{"a":"npm run b","b":"npm run c","c":"npm run d","d":"npm run e","e":"npm run f","f":"npm run g","g":"sh x"}}',
        x: ''
      },
      'package.json#scripts.a package.json#scripts.b package.json#scripts.c package.json#scripts.d package.json#scripts.e package.json#scripts.f',
      'levels packages'
    ],
    [
      'npm run a',
      { 'package.json': '{"scripts":{"a":"wireit"},"wireit":{"a":{"command":"sh x"}}}', x: '' },
      'package.json#scripts.a package.json#wireit.a x',
      'scripts packages'
    ],
    [
      'composer test',
      COMPOSER,
      'composer.json#scripts.test composer.json#scripts.lint l x.php vendor/bin/phpunit phpunit.xml.dist',
      'scripts tests packages'
    ],
    ['composer run lint', COMPOSER, 'composer.json#scripts.lint l', 'scripts packages'],
    [
      'composer run-script test',
      COMPOSER,
      'composer.json#scripts.test composer.json#scripts.lint l x.php vendor/bin/phpunit phpunit.xml.dist',
      'scripts tests packages'
    ],
    [
      'composer install',
      COMPOSER,
      'composer.json#scripts.pre-install-cmd composer.json#scripts.post-install-cmd composer.json#scripts.post-package-install p',
      ['PHP functions called by composer.json are not listed.', 'scripts', 'packages']
    ],
    ['composer install --no-scripts', COMPOSER, '', 'packages'],
    [
      'composer loop',
      COMPOSER,
      'composer.json#scripts.loop composer.json#scripts.test composer.json#scripts.lint l x.php vendor/bin/phpunit phpunit.xml.dist',
      'scripts tests packages'
    ],
    ['composer exec phpunit', COMPOSER, 'vendor/bin/phpunit phpunit.xml.dist', 'tests'],
    ['composer show', COMPOSER, '', '']
  ],
  'commands in commands': [
    [
      'poetry run pytest',
      { 'pyproject.toml': '[tool.pytest.ini_options]', 'conftest.py': '' },
      'pyproject.toml conftest.py',
      'tests packages'
    ],
    ['uv run x.py', 'x.py pyproject.toml', 'x.py pyproject.toml', 'scripts packages'],
    ['uv run -m pytest', 'conftest.py pyproject.toml', 'conftest.py pyproject.toml', 'tests packages'],
    ['uv run --with a pytest', 'conftest.py', 'conftest.py', 'tests packages'],
    ['pipenv run python x.py', 'x.py Pipfile', 'Pipfile x.py', 'scripts packages'],
    ['hatch run test', 'pyproject.toml', 'pyproject.toml', 'packages'],
    ['hatch run python x.py', 'pyproject.toml x.py', 'pyproject.toml x.py', 'scripts packages'],
    ['rye run pytest', 'pytest.ini', 'pytest.ini', 'tests'],
    ['pdm run python x.py', 'x.py', 'x.py', 'scripts'],
    ['bundle exec rspec', 'Gemfile .rspec spec/spec_helper.rb', 'Gemfile .rspec spec/spec_helper.rb', 'tests packages'],
    ['coverage run -m pytest', 'conftest.py .coveragerc', 'conftest.py .coveragerc', 'tests'],
    ['coverage run x.py', 'x.py', 'x.py', 'scripts'],
    ['conda run -n env python x.py', 'x.py', 'x.py', 'scripts'],
    [
      'lint-staged',
      { 'package.json': '{"lint-staged":{"*.js":["sh x","eslint"]}}', x: '' },
      'package.json#lint-staged x',
      'scripts plugins'
    ],
    ['mise exec -- sh x', 'x mise.toml', 'mise.toml x', 'scripts packages'],
    ['direnv exec . ./x', '.envrc x', '.envrc x', 'scripts packages'],
    ['valgrind --leak-check=full ./x', 'x', 'x', 'scripts'],
    ['su -c "sh x" user', 'x', 'x', 'scripts'],
    ['nix-shell -p hello git --run "sh x"', 'x', 'x', 'scripts packages'],
    ['nix-shell x.nix', 'x.nix shell.nix', 'x.nix', 'packages']
  ],
  recipes: [
    [
      'make',
      MAKE,
      'Makefile common.mk gen.py build.sh y package.json#scripts.test sub/Makefile sub/c',
      ['scripts', 'words', 'Makefile includes files whose names cannot be determined.', 'tests', 'packages', 'recipes']
    ],
    ['make -C sub c', MAKE, 'sub/Makefile sub/c', 'scripts recipes'],
    ['make -f other.mk', { 'other.mk': '', Makefile: '' }, 'other.mk', 'recipes'],
    ['make', 'GNUmakefile makefile Makefile', 'GNUmakefile', 'recipes'],
    ['make', 'makefile Makefile', 'makefile', 'recipes'],
    ['make -j4', {}, '', ''],
    ['make -f - ', 'Makefile', 'Makefile', 'recipes'],
    [
      'just build',
      { justfile: 'import "x.just"\nbuild:\n  ./b {{a}}\n  @sh c\n', 'x.just': '', b: '', c: '' },
      'justfile x.just b c',
      'scripts words recipes',
      'sub'
    ],
    [
      'task x',
      {
        'Taskfile.yml':
          'includes:\n  docs: ./docs/Taskfile.yml\ntasks:\n  x:\n    cmds:\n      - ./a b\n      - cmd: sh c\n',
        'docs/Taskfile.yml': '',
        a: '',
        c: ''
      },
      'Taskfile.yml docs/Taskfile.yml a c',
      'scripts recipes'
    ],
    ['rake test', 'Rakefile', 'Rakefile', 'recipes', 'lib'],
    ['ninja -C out', 'out/build.ninja build.ninja', 'out/build.ninja', 'recipes'],
    ['scons', 'SConstruct', 'SConstruct', 'recipes'],
    ['snakemake', 'workflow/Snakefile', 'workflow/Snakefile', 'recipes'],
    [
      'make -f a.mk',
      { 'a.mk': 'include a.mk b.mk\n', 'b.mk': 'include a.mk ../../c.mk\n' },
      'a.mk b.mk',
      ['A script outside the workspace, ../../c.mk, is not shown.', 'recipes']
    ]
  ],
  tests: [
    [
      'jest',
      'jest.config.ts jest.config.js babel.config.js .babelrc',
      'jest.config.js babel.config.js .babelrc',
      'tests',
      'sub'
    ],
    ['jest', { 'package.json': '{"jest":{"preset":"x"}}', 'jest.config.js': '' }, 'package.json#jest', 'tests'],
    ['jest -c my.js --setupFiles=./s.js', 'my.js s.js jest.config.js', 'my.js s.js', 'tests'],
    ['jest --version', 'jest.config.js', '', ''],
    [
      'vitest run',
      'vite.config.js vitest.config.mts vitest.workspace.ts',
      'vitest.config.mts vitest.workspace.ts',
      'tests'
    ],
    ['vitest run', 'vite.config.js vite.config.ts', 'vite.config.ts', 'tests'],
    ['vitest --config other.ts', 'other.ts vitest.config.ts', 'other.ts', 'tests'],
    ['mocha -r ./s.js --file f.js test', '.mocharc.js .mocharc.json s.js f.js', '.mocharc.js s.js f.js', 'tests'],
    ['mocha -r ts-node/register', '.mocharc.yml', '.mocharc.yml', 'tests'],
    ['ava', 'ava.config.mjs', 'ava.config.mjs', 'tests'],
    ['tap test/a.ts', '.taprc', '.taprc', 'tests', 'sub'],
    ['playwright test', 'playwright.config.ts playwright.config.js', 'playwright.config.ts', 'tests'],
    ['playwright test -c e2e', 'e2e/playwright.config.js playwright.config.ts', 'e2e/playwright.config.js', 'tests'],
    ['playwright install', 'playwright.config.ts', '', ''],
    ['cypress run', 'cypress.config.ts', 'cypress.config.ts', 'tests'],
    ['karma start', 'karma.conf.js', 'karma.conf.js', 'tests'],
    ['karma start my.js', 'karma.conf.js my.js', 'my.js', 'tests'],
    [
      'node_modules/.bin/jest',
      'node_modules/.bin/jest jest.config.js',
      'node_modules/.bin/jest jest.config.js',
      'tests'
    ],
    ['cucumber-js', 'cucumber.yml', 'cucumber.yml', 'tests'],
    ['pytest', 'conftest.py pytest.ini pyproject.toml', 'pytest.ini conftest.py', 'tests'],
    [
      'pytest',
      { 'pyproject.toml': '[project]\n', 'setup.cfg': '[tool:pytest]\n', 'tox.ini': '' },
      'setup.cfg',
      'tests'
    ],
    [
      'pytest tests/unit/test_a.py::test_x -k y',
      'conftest.py tests/conftest.py tests/unit/conftest.py tests/unit/test_a.py',
      'tests/unit/conftest.py tests/conftest.py conftest.py',
      'tests'
    ],
    [
      'pytest',
      'conftest.py a/conftest.py a/b/conftest.py c/conftest.py pytest.ini a/pytest.ini',
      'a/pytest.ini a/b/conftest.py a/conftest.py conftest.py',
      'tests',
      'a/b'
    ],
    ['pytest -c my.ini -p plug', 'my.ini pytest.ini plug.py', 'my.ini', 'tests'],
    ['python3 -m pytest tests', 'tests/conftest.py', 'tests/conftest.py', 'tests'],
    ['python -m unittest', '', '', 'tests'],
    ['tox -e py', 'tox.ini setup.py pyproject.toml', 'tox.ini setup.py pyproject.toml', 'tests'],
    ['tox', { 'setup.cfg': '[tox:tox]', 'pyproject.toml': '' }, 'setup.cfg pyproject.toml', 'tests'],
    ['nox -f my.py', 'my.py noxfile.py', 'my.py', 'tests'],
    ['rspec', '.rspec spec/spec_helper.rb', '.rspec spec/spec_helper.rb', 'tests'],
    ['rspec -r ./h.rb', 'h.rb', 'h.rb', 'tests'],
    ['phpunit', 'phpunit.xml phpunit.xml.dist', 'phpunit.xml', 'tests'],
    [
      'vendor/bin/phpunit --bootstrap b.php',
      'vendor/bin/phpunit b.php phpunit.xml.dist',
      'vendor/bin/phpunit phpunit.xml.dist b.php',
      'tests'
    ],
    ['ctest --test-dir build', 'build/CTestTestfile.cmake', 'build/CTestTestfile.cmake', 'tests'],
    [
      'mix test',
      'mix.exs config/config.exs test/test_helper.exs',
      'mix.exs config/config.exs test/test_helper.exs',
      'build tests'
    ]
  ],
  linters: [
    ['eslint src', 'eslint.config.mjs eslint.config.ts .eslintrc.json', 'eslint.config.mjs', 'plugins', 'sub'],
    ['eslint .', '.eslintrc.cjs a/.eslintrc.json a/.eslintrc.yml', 'a/.eslintrc.yml .eslintrc.cjs', 'plugins', 'a'],
    ['eslint -c my.js --rulesdir rules -f ./f.js .', 'my.js f.js eslint.config.js', 'my.js f.js', 'plugins'],
    [
      'prettier --check .',
      { 'package.json': '{"prettier":"@x/config"}', '.prettierrc': '' },
      'package.json#prettier',
      'plugins'
    ],
    ['prettier --plugin ./p.js .', 'p.js prettier.config.mjs', 'prettier.config.mjs p.js', 'plugins'],
    ['stylelint .', 'stylelint.config.js .stylelintrc.json', '.stylelintrc.json', 'plugins'],
    ['tsc', 'tsconfig.json', '', ''],
    ['commitlint --edit', 'commitlint.config.ts', 'commitlint.config.ts', 'plugins'],
    [
      'pre-commit run -a',
      '.pre-commit-config.yaml',
      '.pre-commit-config.yaml',
      ['Not shown: hooks from other repositories.'],
      'sub'
    ],
    ['lefthook run pre-commit', 'lefthook.yml lefthook-local.yml', 'lefthook.yml lefthook-local.yml', 'plugins'],
    ['rubocop', '.rubocop.yml', '.rubocop.yml', 'plugins', 'lib'],
    ['phpstan analyse -c my.neon', 'my.neon phpstan.neon', 'my.neon', 'plugins'],
    ['phpstan analyse', 'phpstan.neon.dist phpstan.dist.neon', 'phpstan.neon.dist', 'plugins'],
    ['pylint x', '.pylintrc pyproject.toml', '.pylintrc', 'plugins'],
    ['pylint x', { 'pyproject.toml': '[tool.pylint.main]' }, 'pyproject.toml', 'plugins'],
    ['mypy .', { 'mypy.ini': '', 'setup.cfg': '[mypy]' }, 'mypy.ini', 'plugins'],
    ['flake8', { 'setup.cfg': '[flake8]', '.flake8': '' }, 'setup.cfg', 'plugins'],
    ['black .', 'pyproject.toml', '', ''],
    ['golangci-lint run', '.golangci.yaml .golangci.toml', '.golangci.yaml', 'plugins', 'cmd'],
    ['clang-tidy x.c', '.clang-tidy src/.clang-tidy', 'src/.clang-tidy', '', 'src'],
    ['php-cs-fixer fix', '.php-cs-fixer.dist.php', '.php-cs-fixer.dist.php', 'plugins']
  ],
  bundlers: [
    [
      'webpack',
      'webpack.config.ts babel.config.json postcss.config.js tailwind.config.ts',
      'webpack.config.ts babel.config.json postcss.config.js tailwind.config.ts',
      'build'
    ],
    ['webpack --config build/w.js', 'build/w.js webpack.config.js', 'build/w.js', 'build'],
    ['rollup -c', 'rollup.config.js rollup.config.mjs', 'rollup.config.mjs', 'build'],
    ['rollup -c my.js', 'my.js rollup.config.js', 'my.js', 'build'],
    ['vite build', 'vite.config.ts vite.config.js postcss.config.cjs', 'vite.config.js postcss.config.cjs', 'build'],
    ['next build', 'next.config.mjs next.config.ts', 'next.config.mjs', 'build'],
    ['next build web', 'web/next.config.js next.config.mjs', 'web/next.config.js', 'build'],
    ['nuxt build', 'nuxt.config.ts', 'nuxt.config.ts', 'build'],
    ['astro build', 'astro.config.mjs', 'astro.config.mjs', 'build'],
    ['svelte-kit sync', 'svelte.config.js vite.config.js', 'svelte.config.js vite.config.js', 'build'],
    [
      'storybook build',
      '.storybook/main.ts .storybook/preview.tsx',
      '.storybook/main.ts .storybook/preview.tsx',
      'build'
    ],
    ['tailwindcss -c t.js', 't.js', 't.js', 'plugins'],
    ['babel src', '.babelrc.js', '.babelrc.js', 'plugins'],
    ['react-native start', 'metro.config.js babel.config.js', 'metro.config.js babel.config.js', 'build'],
    ['gulp build', 'gulpfile.mjs', 'gulpfile.mjs', 'build', 'sub'],
    ['grunt', 'Gruntfile.js', 'Gruntfile.js', 'build'],
    ['turbo run build', 'turbo.json', 'turbo.json', 'workspaces'],
    ['nx test app', 'nx.json', 'nx.json', 'workspaces']
  ],
  'build tools': [
    [
      'cargo test',
      {
        'Cargo.toml': '[package]\nbuild = "gen/b.rs"\n',
        'build.rs': '',
        'gen/b.rs': '',
        '.cargo/config.toml': '',
        'rust-toolchain.toml': ''
      },
      '.cargo/config.toml Cargo.toml gen/b.rs rust-toolchain.toml',
      'build tests',
      'src'
    ],
    [
      'cargo build --manifest-path a/Cargo.toml',
      'a/Cargo.toml a/build.rs build.rs Cargo.toml',
      'a/Cargo.toml a/build.rs',
      'build'
    ],
    [
      'cargo +nightly run',
      'Cargo.toml build.rs .cargo/config .cargo/config.toml',
      '.cargo/config Cargo.toml build.rs',
      'build'
    ],
    ['cargo fmt', 'Cargo.toml build.rs', '', ''],
    [
      './gradlew test',
      'gradlew gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar settings.gradle.kts build.gradle.kts build.gradle gradle.properties',
      'gradlew gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar settings.gradle.kts build.gradle gradle.properties',
      'build'
    ],
    ['gradle -p app build', 'app/build.gradle build.gradle', 'app/build.gradle', 'build'],
    [
      '../gradlew build',
      'gradlew settings.gradle build.gradle app/build.gradle',
      'gradlew settings.gradle build.gradle app/build.gradle',
      'build',
      'app'
    ],
    ['gradle -I init.gradle build', 'init.gradle build.gradle', 'init.gradle build.gradle', 'build'],
    [
      './mvnw verify',
      'mvnw pom.xml .mvn/maven.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties',
      'mvnw pom.xml .mvn/maven.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties',
      'build'
    ],
    ['mvn -f sub test', 'sub/pom.xml pom.xml .mvn/jvm.config', 'sub/pom.xml .mvn/jvm.config', 'build'],
    ['cmake -S . -B build', 'CMakeLists.txt CMakePresets.json', 'CMakeLists.txt CMakePresets.json', 'build'],
    [
      'cmake --build build',
      'CMakeLists.txt build/build.ninja build/Makefile build/CMakeCache.txt',
      'build/CMakeCache.txt build/build.ninja CMakeLists.txt',
      'build'
    ],
    ['cmake -P x.cmake', 'x.cmake CMakeLists.txt', 'x.cmake', 'scripts'],
    [
      'cmake -DCMAKE_TOOLCHAIN_FILE=../t.cmake ..',
      't.cmake CMakeLists.txt',
      't.cmake CMakeLists.txt',
      'build',
      'build'
    ],
    ['meson setup build', 'meson.build meson_options.txt', 'meson.build meson_options.txt', 'build'],
    ['meson compile -C build', 'meson.build build/build.ninja', 'meson.build build/build.ninja', 'build'],
    [
      'dotnet test tests/T.csproj -c Release',
      'tests/T.csproj Directory.Build.props Directory.Build.targets global.json',
      'tests/T.csproj Directory.Build.props Directory.Build.targets global.json',
      'build'
    ],
    ['dotnet run --project app/A.csproj', 'app/A.csproj', 'app/A.csproj', 'build'],
    ['mix compile', 'mix.exs', 'mix.exs', 'build'],
    ['stack build', 'stack.yaml Setup.hs', 'stack.yaml Setup.hs', 'build'],
    ['cabal build', 'cabal.project cabal.project.local', 'cabal.project cabal.project.local', 'build'],
    ['zig build', 'build.zig', 'build.zig', 'build'],
    ['pip install .', 'setup.py pyproject.toml', 'setup.py pyproject.toml', 'packages'],
    ['pip install -e .', 'setup.py', 'setup.py', 'packages'],
    ['pip install -r requirements.txt', 'setup.py requirements.txt', 'requirements.txt', 'packages named'],
    ['python -m build', 'pyproject.toml', 'pyproject.toml', 'build'],
    ['docker build .', 'Dockerfile', 'Dockerfile', 'images'],
    ['docker build -f docker/D -t x web', 'docker/D web/Dockerfile Dockerfile', 'docker/D', 'images'],
    ['docker build web', 'web/Dockerfile Dockerfile', 'web/Dockerfile', 'images'],
    ['docker build https://example.com/x.git', 'Dockerfile', '', 'images'],
    [
      'docker compose up -d',
      'compose.yaml docker-compose.yml compose.override.yml',
      'compose.yaml compose.override.yml',
      'images',
      'sub'
    ],
    ['docker compose -f a.yml -f b.yml up', 'a.yml b.yml compose.yaml', 'a.yml b.yml', 'images'],
    [
      'docker-compose run x',
      'docker-compose.yml docker-compose.override.yml',
      'docker-compose.yml docker-compose.override.yml',
      'images'
    ],
    ['docker ps', 'Dockerfile', '', ''],
    ['podman build .', 'Containerfile Dockerfile', 'Containerfile', 'images'],
    ['nix build', 'flake.nix flake.lock', 'flake.nix flake.lock', 'packages', 'sub'],
    ['nix-shell', 'default.nix shell.nix', 'shell.nix', 'packages'],
    ['sbt test', 'build.sbt project/plugins.sbt', 'build.sbt project/plugins.sbt', 'build'],
    ['latexmk x', '.latexmkrc', '.latexmkrc', 'build'],
    ['autoreconf -i', 'configure.ac', 'configure.ac', 'build'],
    ['./configure --prefix=x', 'configure', 'configure', 'scripts'],
    ['terraform apply', '', '', ['Not shown: infrastructure files, which may run programs.']],
    ['poetry install', 'pyproject.toml', 'pyproject.toml', 'packages'],
    ['uv sync', 'pyproject.toml', 'pyproject.toml', 'packages'],
    ['bundle install', 'Gemfile', 'Gemfile', 'packages', 'lib']
  ]
}

const toFiles = (files: string | Files): Files =>
  typeof files === 'string' ? Object.fromEntries(words(files).map(name => [name, ''])) : files

for (const [title, cases] of Object.entries(CASES))
  t.test(`finds what a line executes: ${title}`, async t => {
    for (const [line, files, sources, unknown, cwd] of cases) {
      const found = find(line, toFiles(files), cwd)
      t.strictSame(
        [
          found.sources.map(({ path, entry }) =>
            entry === undefined ? path : `${path}#${entry.replaceAll(' ', '_')}`
          ),
          found.unknown
        ],
        [words(sources), (typeof unknown === 'string' ? words(unknown) : unknown).map(name => SENTENCES[name] ?? name)],
        line
      )
    }
  })

t.test('returns the text of entries', async t => {
  t.strictSame(find('npm test', { 'package.json': pkg({ test: 'sh x' }), x: '' }).sources, [
    { path: 'package.json', entry: 'scripts.test', text: 'sh x' },
    { path: 'x' }
  ])
  t.strictSame(find('jest', { 'package.json': '{"jest":{"preset":"x"}}' }).sources, [
    { path: 'package.json', entry: 'jest', text: '{\n  "preset": "x"\n}' }
  ])
  t.strictSame(find('composer a', { 'composer.json': pkg({ a: ['@b'], b: 'true' }) }).sources, [
    { path: 'composer.json', entry: 'scripts.a', text: '[\n  "@b"\n]' },
    { path: 'composer.json', entry: 'scripts.b', text: 'true' }
  ])
})
