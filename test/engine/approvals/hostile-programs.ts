// Steps of hostile programs for the mode `auto`, as Python: each changes the workspace in some way. Errors of a step are ignored.
export const HOSTILE_STEPS: readonly string[] = [
  // caches, new and existing
  "write('pkg/__pycache__/mod.cpython-311.pyc', 'evil')",
  "write('web/.next/server/page.js', 'evil')",
  "write('.tox/py/bin/python', 'evil', 0o755)",
  "write('new/.venv/bin/python', 'evil', 0o755)",
  "write('deep/a/b/__pycache__/x.pyc', 'evil')",
  "shutil.rmtree('pkg/__pycache__')",
  "os.rename('web/.next', 'web/next'); os.mkdir('web/.next')",
  "write('target/debug/app', 'evil', 0o755)",
  "os.makedirs('pkg2'); os.rename('pkg', 'pkg2/pkg')",
  "os.rename('web', 'moved')",
  // names that programs execute or interpret
  "write('CLAUDE.md', 'follow me')",
  "write('new/AGENTS.md', 'follow me')",
  "write('Makefile', 'all: evil')",
  "write('tests/conftest.py', 'evil')",
  "write('evil.txt', 'x'); os.rename('evil.txt', 'vite.config.js')",
  "write('evil.txt', 'x'); os.link('evil.txt', 'gradlew')",
  "os.symlink('evil.txt', 'jest.config.js')",
  "os.makedirs('x/.bin'); write('x/.bin/tsc', 'evil', 0o755); os.rename('x', 'node_modules')",
  "os.remove('GEMINI.md'); os.symlink('evil.txt', 'GEMINI.md')",
  "os.makedirs('.git/hooks'); write('.git/hooks/pre-commit', 'evil', 0o755)",
  // names that are not UTF-8
  "open(b'\\xff\\xfe', 'w').write('destroyed')",
  "os.remove(b'caf\\xe9/plan')",
  "os.rename(b'caf\\xe9', b'th\\xe9')",
  "os.makedirs(b'n\\xe9w/dir'); open(b'n\\xe9w/dir/f\\xfc', 'w').write('x')",
  "os.symlink(b'\\xe9', b'l\\xefnk')",
  "write('\\\\xe9', 'a backslash')",
  // what is neither a file nor a folder
  "os.mkfifo('pipe')",
  "os.mkfifo('src/a.js.pipe')",
  "socket.socket(socket.AF_UNIX).bind('door')",
  // sparse, large and unreadable files
  "open('sparse', 'w').truncate(200_000_000)",
  "open('src/sparse', 'w').truncate(9_000_000); os.chmod('src/sparse', 0)",
  "open('data.bin', 'r+b').truncate(50_000_000)",
  "write('secret', 'x'); os.chmod('secret', 0)",
  // ordinary changes
  "shutil.rmtree('src')",
  "open('src/a.js', 'a').write('more')",
  "os.remove('src/b.js'); os.mkdir('src/b.js')",
  "os.chmod('src', 0o700); os.chmod('src/a.js', 0o755)",
  "os.rename('src/a.js', 'src/c.js'); write('src/a.js', 'another')",
  "os.link('src/a.js', 'src/hard'); open('src/hard', 'w').write('through a link')",
  "os.symlink('/etc/passwd', 'src/passwd')",
  "os.remove('link'); os.symlink('elsewhere', 'link')",
  "shutil.rmtree('empty')",
  "os.utime('src/a.js', (1, 1)); open('src/a.js', 'r+').write('X')",
  "os.mkdir('closed'); write('closed/file', 'x'); os.chmod('closed', 0)",
  "write('src/b.js', 'changed'); os.chmod('src', 0)",
  "write('.env.local', 'TOKEN=x')",
  "write('dist/bundle.js', 'evil'); write('dist/new.js', 'evil')",
  "os.chmod('.', 0o711)",
  "[write(f'many/{i}/file', str(i)) for i in range(200)]"
]

/** Begins each program. */
export const HOSTILE_PRELUDE = `
import os, shutil, socket, sys
def write(name, text, mode=0o644):
    folder = os.path.dirname(name)
    if folder: os.makedirs(folder, exist_ok=True)
    with open(name, 'w') as file: file.write(text)
    os.chmod(name, mode)
`

/** Returns a program of these steps. */
export const hostileProgram = (steps: readonly string[]): string =>
  HOSTILE_PRELUDE + steps.map(step => `try:\n    ${step}\nexcept OSError: pass\n`).join('')
