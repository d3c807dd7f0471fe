// SPDX-License-Identifier: Apache-2.0
const written = document.getElementById('written');

// How old the page is; a run that has long been silent has probably been killed.
function age() {
  const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(written.dataset.written)));
  if (written.dataset.state !== 'running') return;
  const text = seconds < 120 ? seconds + ' s' : Math.round(seconds / 60) + ' min';
  const late = seconds > 60 + 10 * Number(written.dataset.every);
  written.classList.toggle('late', late);
  written.textContent = `written ${text} ago` + (late ? '; the run may have been killed' : '');
}
if (written) {
  age();
  setInterval(age, 1000);
}
document.body.dataset.ready = 'yes';
