// Compilers, and tools that build, test and publish projects.
import { builder, checker, makes, version } from '../commands/builders.ts'
import { guessPathOperands, type ProgramClassifier, printsOnly } from '../commands/classification.ts'
import { cargo, cmake, gradle, maven, meson } from '../executed/build-tools.ts'
import { recipeFinder } from '../executed/recipes.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { Configuration, ProgramFacts } from './program.ts'
import { BUILD, NEAREST_BUILD, tool, tools } from './tools.ts'

const { plugins, tests, build, packages } = UNKNOWN

/** Its flags have one dash or two. */
const goBuilder = builder({
  subcommands: 'build test vet fmt mod',
  flags:
    '--v --race --short --run= --bench= --count= --timeout= --cover --coverprofile> --parallel= --failfast --json ' +
    '--tags= --p= --x --n --a --o> --list= --skip= --benchtime= --cpu= --benchmem --covermode= --coverpkg= --shuffle= ' +
    '--work --trimpath --mod='
})
const go: ProgramClassifier = args => {
  if (args.length === 1 && args[0] === 'version') return printsOnly()
  const { operands = [], ...found } = goBuilder(args.map(arg => (/^-[a-z]/.test(arg) ? `-${arg}` : arg)))
  return {
    ...found,
    operands: [...args.flatMap(guessPathOperands), ...operands.filter(({ access }) => access === 'write')]
  }
}

const DOTNET = [
  'Directory.Build.props',
  'Directory.Build.targets',
  'Directory.Build.rsp',
  'Directory.Packages.props',
  'global.json'
]
const PUB: Configuration = {
  subcommands: 'test run build',
  files: ['pubspec.yaml', 'build.yaml', 'dart_test.yaml'],
  search: 'nearest',
  unknown: build
}
const MAKE = makes(
  '-Bikqrstwn -j? -l? -O? --always-make --ignore-errors --jobs? --keep-going --dry-run --just-print --silent --quiet ' +
    '--question --touch --no-print-directory --print-directory --output-sync? --warn-undefined-variables --trace ' +
    '--no-builtin-rules'
)
const COMPILER = {
  wholeWords: true,
  runs:
    '-wrapper -plugin --plugin -load -Xclang -Xlinker -Xassembler -Xpreprocessor -B -specs --specs -processor -processorpath ' +
    '--processor-path -T --script -C -Z --codegen -dynamic-linker --catalogs -define -l'
} as const
const VERSION = { classify: version('--version') } as const

export const BUILD_TOOLS: readonly ProgramFacts[] = [
  { names: 'gcc g++ cc c++ clang clang++ ld ar', ...VERSION, data: COMPILER },
  { names: 'javac', classify: version('-version', '--version'), data: COMPILER },
  {
    names: 'rustc as objcopy ranlib strip nasm yasm protoc flatc ffmpeg convert magick identify mogrify rsvg-convert',
    data: COMPILER
  },
  { names: 'nm', views: true, data: COMPILER },
  { names: 'xmllint', views: /^-o|^--output/, data: COMPILER },
  {
    names: 'make',
    ...MAKE,
    readsCode: 'if dashed',
    find: recipeFinder({
      names: 'GNUmakefile makefile Makefile',
      fileOptions: '-f --file --makefile',
      folderOptions: '-C --directory',
      valued: '-I -o -W -l',
      includes: /^ *(?:-|s)?include[ \t]+([^#\n]+)/gm,
      lines: /^\t[ \t]*[@+-]*(?<line>[^\n]+)/gm,
      madeFrom: { endings: '.sh ,v .o .c .cc .C .cpp .p .f .F .m .r .s .S .mod .l .y', prefixes: 's. SCCS/s. RCS/' }
    })
  },
  { names: 'gmake', ...MAKE, readsCode: 'if dashed', executesLike: 'make' },
  { names: 'remake', executesLike: 'make' },
  {
    names: 'just',
    ...makes('-nqvl --dry-run --list --quiet --verbose --yes --summary'),
    readsCode: 'if dashed',
    find: recipeFinder({
      names: 'justfile Justfile JUSTFILE .justfile .Justfile .JUSTFILE',
      fileOptions: '-f --justfile',
      folderOptions: '-d --working-directory',
      upward: true,
      includes: /^(?:import|mod)\??[ \t]+(?:\w+[ \t]+)?['"]([^'"\n]+)['"]/gm,
      lines: /^[ \t]+[@-]*(?<line>[^\n]+)/gm
    })
  },
  {
    names: 'task',
    ...makes('-lasvnfp --list --list-all --silent --verbose --dry --parallel --force'),
    find: recipeFinder({
      names:
        'Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml ' +
        'taskfile.dist.yaml',
      fileOptions: '-t --taskfile',
      folderOptions: '-d --dir',
      upward: true,
      includes: /^[ \t]{1,40}\w{1,40}:[ \t]{1,40}([\w./-]{1,200}\.ya?ml)[ \t]{0,40}$/gm,
      lines: /^[ \t]{1,40}- (?:cmd: )?(?<line>[^\n{}:'"]+)$/gm
    })
  },
  { names: 'go-task', executesLike: 'task' },
  {
    names: 'rake',
    ...makes('-Tnqvsm -t? -j? --trace? --tasks? --dry-run --quiet --silent'),
    find: recipeFinder({
      names: 'rakefile Rakefile rakefile.rb Rakefile.rb',
      fileOptions: '-f --rakefile',
      folderOptions: '-C --directory',
      upward: true
    })
  },
  {
    names: 'ninja',
    ...makes('-nv -k: -j: -l: -d: --verbose --quiet'),
    find: recipeFinder({ names: 'build.ninja', fileOptions: '-f', folderOptions: '-C', valued: '-j -k -l -t' })
  },
  { names: 'samu', executesLike: 'ninja' },
  {
    names: 'scons',
    find: recipeFinder({
      names: 'SConstruct Sconstruct sconstruct SConstruct.py Sconstruct.py sconstruct.py',
      fileOptions: '-f --file --makefile --sconstruct',
      folderOptions: '-C --directory'
    })
  },
  { names: 'mage', find: recipeFinder({ names: 'magefile.go', fileOptions: '', folderOptions: '-d -w' }) },
  {
    names: 'doit',
    find: recipeFinder({ names: 'dodo.py', fileOptions: '-f --file', folderOptions: '-d --dir', upward: true })
  },
  {
    names: 'snakemake',
    find: recipeFinder({
      names: 'Snakefile snakefile workflow/Snakefile workflow/snakefile',
      fileOptions: '-s --snakefile',
      folderOptions: '-d --directory'
    })
  },
  { names: 'earthly', find: recipeFinder({ names: 'Earthfile', fileOptions: '-f', folderOptions: '' }) },
  { names: 'ant', find: recipeFinder({ names: 'build.xml', fileOptions: '-f -file -buildfile', folderOptions: '' }) },
  {
    names: 'cargo',
    classify: builder({
      subcommands: 'build b check c test t clippy fmt doc bench',
      flags:
        '-vqr -p: -j: -F: --all --workspace --package= --exclude= --lib --bin= --bins --example= --examples --test= --tests ' +
        '--bench= --benches --all-targets --all-features --no-default-features --features= --release --profile= --jobs= ' +
        '--keep-going --no-run --no-fail-fast --doc --no-deps --locked --offline --frozen --verbose --quiet ' +
        '--message-format= --color= --check',
      runSubcommands: 'test t bench'
    }),
    outward: {
      packages: 'install uninstall add remove update fetch search vendor',
      publishes: 'publish login logout owner yank'
    },
    listings: ['tree', 'metadata', 'pkgid', 'locate-project', 'read-manifest', 'help', 'version', '--list'],
    wraps: [{ subcommands: 'watch', lines: '-s -x' }],
    find: cargo
  },
  { names: 'cross', find: cargo },
  {
    names: 'rustup',
    outward: 'packages',
    listings: ['show', 'toolchain list', 'target list', 'component list', 'which']
  },
  checker('rustfmt', '-lv --check --edition= --quiet --verbose --emit='),
  {
    names: 'go',
    classify: go,
    outward: { packages: 'install get' },
    listings: ['env', 'list', 'doc', 'version'],
    script: {
      valued: '-C -tags -ldflags -gcflags -mod -p',
      loading: '-exec -toolexec -vettool',
      subcommands: 'run',
      ends: /\.go$|^\.|\//
    },
    configuration: [
      { subcommands: 'test', unknown: tests },
      { subcommands: 'generate', unknown: 'Not shown: commands of go:generate directives.' }
    ]
  },
  checker('gofmt', '-lwdse -r:'),
  {
    names: 'mvn',
    classify: builder({
      subcommands: 'test compile package verify',
      flags: '-qXeoBUV -T: --quiet --errors --offline --batch-mode --fail-fast --fail-at-end --no-transfer-progress',
      allowedWords: ['-DskipTests', '-ntp']
    }),
    outward: { publishes: 'deploy release:perform release:prepare' },
    find: maven
  },
  { names: 'mvnw mvnd', find: maven },
  {
    names: 'gradle gradlew',
    classify: builder({
      subcommands: 'test build check',
      flags:
        '-qiwdsSm -x: --info --warn --quiet --debug --stacktrace --full-stacktrace --dry-run --offline --parallel ' +
        '--no-daemon --daemon --continue --rerun-tasks --build-cache --no-build-cache --console= --tests='
    }),
    outward: { publishes: 'publish' },
    find: gradle
  },
  { names: 'cmake', ...VERSION, find: cmake },
  { names: 'cmake3', find: cmake },
  { names: 'meson', ...VERSION, find: meson },
  { names: 'bazel', ...VERSION },
  checker(
    'ctest',
    '-VQN -R: -E: -L: -j: -C: --output-on-failure --verbose --parallel --stop-on-failure --rerun-failed --show-only? ' +
      '--timeout= --repeat= --tests-regex=',
    { files: ['CTestTestfile.cmake'], folder: '--test-dir', loads: '-S -SP', unknown: tests }
  ),
  checker('clang-format', '-in --dry-run --Werror --verbose'),
  {
    names: 'dotnet',
    classify: builder({
      subcommands: 'build test format',
      flags:
        '-c: -v: -f: --configuration= --verbosity= --framework= --no-build --no-restore --nologo --filter= --verify-no-changes'
    }),
    outward: { packages: 'add remove restore tool workload', publishes: 'nuget' },
    listings: ['--info', '--list-sdks', '--list-runtimes', 'list'],
    script: { ends: /\.(?:dll|exe)$/ },
    configuration: [
      {
        subcommands: 'build run test publish pack restore clean watch msbuild',
        files: [...DOTNET, '{NuGet.Config,nuget.config,NuGet.config}'],
        search: 'nearest',
        operands: 'add',
        loads: '--project',
        valued: '-c --configuration -f --framework -o -r --runtime -v',
        unknown: build
      },
      {
        subcommands: 'tool husky cake',
        files: ['.config/dotnet-tools.json dotnet-tools.json'],
        search: 'nearest',
        unknown: packages
      }
    ]
  },
  {
    names: 'swift',
    classify: builder({ subcommands: 'build test', flags: '-v -c: --configuration= --verbose --filter= --parallel' }),
    script: { ends: /\.swift$/ },
    configuration: [
      {
        subcommands: 'build test run package',
        files: ['Package.swift'],
        search: 'nearest',
        folder: '--package-path',
        unknown: build
      }
    ]
  },
  {
    names: 'mix',
    classify: builder({
      subcommands: 'test format',
      flags: '--trace --failed --stale --only= --exclude= --seed= --check-formatted --force --cover'
    }),
    outward: { packages: 'deps.get deps.update local.hex archive.install', publishes: 'hex.publish' },
    configuration: [
      { files: ['mix.exs', 'config/config.exs', 'config/runtime.exs', '.formatter.exs'], unknown: build },
      { subcommands: 'test', files: ['test/test_helper.exs', 'config/test.exs'], unknown: tests }
    ]
  },
  { names: 'flutter', outward: { packages: 'pub upgrade' }, configuration: [PUB] },
  { names: 'dart', outward: { packages: 'pub' }, script: {}, configuration: [PUB] },
  { names: 'luarocks', outward: { packages: 'install remove', publishes: 'upload' } },
  tool('ginkgo gotestsum', { unknown: tests }),
  tool('golangci-lint', {
    subcommands: 'run fmt',
    files: ['.golangci.{yml,yaml,toml,json}', '.custom-gcl.{yml,yaml}'],
    search: 'nearest',
    config: '-c --config',
    unknown: plugins
  }),
  tool('air', { files: ['.air.toml'], config: '-c' }),
  tool('clang-tidy', { files: ['.clang-tidy'], search: 'nearest', config: '--config-file', loads: '--load -load' }),
  tool('lefthook', {
    subcommands: 'run',
    files: [
      '{lefthook,.lefthook,.config/lefthook}.{yml,yaml,toml,json}',
      '{lefthook-local,.lefthook-local}.{yml,yaml,toml,json}'
    ],
    unknown: plugins
  }),
  ...tools(NEAREST_BUILD, {
    msbuild: { files: DOTNET, operands: 'add' },
    stack: { files: ['stack.yaml', 'package.yaml', 'Setup.{hs,lhs}'], config: '--stack-yaml' },
    cabal: {
      files: ['cabal.project', 'cabal.project.local', 'cabal.project.freeze', 'Setup.{hs,lhs}'],
      config: '--project-file'
    },
    zig: { subcommands: 'build', files: ['build.zig', 'build.zig.zon'], config: '--build-file' },
    dune: { files: ['dune-project', 'dune-workspace', 'dune'] }
  }),
  ...tools(BUILD, {
    goreleaser: {
      files: ['.config/goreleaser.{yml,yaml} .goreleaser.{yml,yaml} goreleaser.{yml,yaml}'],
      config: '-f --config'
    },
    'rebar3 rebar': { files: ['rebar.config', 'rebar.config.script'] },
    sbt: {
      files: [
        'build.sbt',
        'project/build.properties',
        'project/plugins.sbt',
        'project/Build.scala',
        '.sbtopts',
        '.jvmopts'
      ]
    },
    mill: { files: ['build.{mill,mill.scala,sc}', '.mill-version'] },
    lein: { files: ['project.clj', 'profiles.clj'] },
    xmake: { files: ['xmake.lua'], config: '-F --file', folder: '-P --project' },
    'premake5 premake4': { files: ['premake5.lua premake4.lua'], config: '--file' },
    'autoreconf autoconf automake aclocal': { files: ['configure.ac configure.in', 'Makefile.am', 'autogen.sh'] },
    'config.status': { files: ['Makefile.in'] },
    conan: { files: ['conanfile.py conanfile.txt'] },
    waf: { files: ['wscript'] },
    nimble: { files: ['config.nims'] },
    latexmk: { files: ['.latexmkrc latexmkrc'], loads: '-r' }
  })
]
