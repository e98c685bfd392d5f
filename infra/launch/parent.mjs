import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const lookMs = 250;

/**
 * Calls back once when the process that started this one has ended. npm starts a script through a shell, which survives a `kill -9` of
 * npm: then it is the shell's parent that has ended.
 * @param {() => void} callBack
 */
export function whenParentIsGone(callBack) {
  const parent = process.ppid;
  const { name = '', parent: grandparent } = processOf(parent);
  const throughShell = /^-?(?:.*\/)?(?:sh|dash|bash|zsh|ash|busybox)$/.test(name);
  const timer = setInterval(() => {
    if (process.ppid === parent && !(throughShell && processOf(parent).parent !== grandparent))
      return;
    clearInterval(timer);
    callBack();
  }, lookMs);
  timer.unref();
}

/** A process's name and its parent's pid; empty when there is none such. */
function processOf(pid) {
  try {
    if (process.platform === 'linux') {
      // pid (name) state ppid ...; the name may hold spaces and brackets.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      return {
        name: stat.slice(stat.indexOf('(') + 1, end),
        parent: Number(stat.slice(end + 2).split(' ')[1]),
      };
    }
    const [ppid, name] = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], {
      encoding: 'utf8',
    })
      .trim()
      .split(/\s+/, 2);
    return { name, parent: Number(ppid) };
  } catch {
    return {};
  }
}
