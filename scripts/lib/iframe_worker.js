// For the search when the site is opened from files: there browsers start no Worker, so a hidden frame takes its place.
// By the name IFrameWorker the script of the search knows that it runs in such a frame. It then waits for the promise that
// importScripts returns.
if (location.protocol === "file:") {
    window.IFrameWorker = class extends EventTarget {
        constructor(url) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.appendChild(frame);
            const page = frame.contentDocument;
            page.open();
            page.write("<!doctype html><html><head></head><body></body></html>");
            page.close();
            const load = (from) => new Promise((loaded, failed) => {
                const script = page.createElement("script");
                script.src = new URL(from, document.baseURI);
                script.onload = loaded;
                script.onerror = failed;
                page.head.appendChild(script);
            });
            this.scope = frame.contentWindow;
            this.scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", {data}));
            this.scope.importScripts = (...urls) =>
                urls.reduce((before, one) => before.then(() => load(one)), Promise.resolve());
            this.ready = load(url);
        }
        postMessage(data) {
            this.ready.then(() => this.scope.dispatchEvent(new MessageEvent("message", {data})));
        }
    };
    window.Worker = window.IFrameWorker;
}
