% octave-cli published.m METHOD PROGRAMS FOLDER has the published program of a method learn
% from the samples that agreement left in FOLDER, and recognise the others, by its own
% functions. answer.json says what it named, how long it took, and the objective of nrdl's
% method (its parameters are params.json) at what the program and at what nrdl learned.
1;

function m = matrix(name)
  global folder
  f = fopen([folder '/' name '.bin']);
  s = fread(f, 2, 'double');
  m = reshape(fread(f, prod(s), 'double'), s');
  fclose(f);
end

function v = n2(m), v = sum(m(:).^2); end
function v = n1(m), v = sum(abs(m(:))); end

% Columns or rows of class i, of which there are k a class.
function r = own(i, k), r = (i-1)*k+1:i*k; end

% The Fisher terms of [fddl], S_w - S_b, of codes with n samples a class.
function v = fisher(S, n)
  v = 0; m = mean(S, 2);
  for i = 1:columns(S)/n
    Si = S(:, own(i, n)); mi = mean(Si, 2);
    v += n2(Si - mi) - n*n2(mi - m);
  end
end

% The residuals of [fddl], of all atoms, of the own class, and of the others.
function v = residuals(X, D, S, n, k)
  v = n2(X - D*S);
  for i = 1:columns(X)/n
    Si = S(:, own(i, n));
    for j = 1:columns(D)/k
      R = D(:, own(j, k))*Si(own(j, k), :);
      if i == j, R = X(:, own(i, n)) - R; end
      v += n2(R);
    end
  end
end

function v = incoherence(D, k, C)
  G = D'*D; v = 0;
  ends = unique([k*(1:C) columns(D)]); begins = [1 ends(1:end-1)+1];
  for i = 1:numel(ends), G(begins(i):ends(i), begins(i):ends(i)) = 0; end
  v = n2(G);
end

function v = graph(X, P) % tr(PLP'), [nrdl] (5) without the square
  M = 1 ./ (1 + sqrt(max(0, sum(X.^2)' + sum(X.^2) - 2*X'*X)));
  v = trace(P*(diag(sum(M)) - M)*P');
end

args = argv();
method = args{1}; at = args{2};
global folder
folder = args{3};
p = jsondecode(fileread([folder '/params.json']));
X = matrix('X'); Y = matrix('Y'); x = matrix('x'); y = matrix('y');
C = max(x); N = columns(X); n = N/C; k = n; % an atom for each sample
H = double((1:C)' == x);
theirs = 0; ours = 0; rate = -1; pred = -ones(1, columns(Y));
dictol = [at '/DICTOL'];
switch method
  case {'fddl', 'lrsdl', 'd2l2r2', 'dlsi', 'copar', 'src'}
    for f = {'utils', 'ODL', 'SRC', 'DLSI', 'COPAR', 'D2L2R2', 'LRSDL_FDDL'}, addpath([dictol '/' f{1}]); end
  case {'lcksvd2', 'ksvd'}
    for f = {'/DICTOL/utils', '/DICTOL/LCKSVD', '/Joint-Dictionary-Learning/OMPbox', '/Joint-Dictionary-Learning/ksvdbox'}, addpath([at f{1}]); end
  case 'lcle'
    for f = {'', '/OMPbox', '/ksvdbox'}, addpath([at '/Joint-Dictionary-Learning' f{1}]); end
  otherwise
    for f = {'/NRDL', '/NSCR/NSCR', '/LLC_SPM'}, addpath([at f{1}]); end
end
D = matrix('D'); S = matrix('S'); W = matrix('W'); Z = matrix('C'); % nrdl's
o = struct('k', k, 'k0', 0, 'D_range', k*(0:C), 'verbose', 0, 'verbal', 1, 'show', 0, 'showD', 0, 'showX', 0, 'show_cost', 0, 'check_grad', 0, 'tol', 1e-8, 'initmode', 'normal');
begun = cputime;
switch method
  case 'nrdl'
    [s, w, d] = dictionary_learning(X, X, n, C, H, p.alpha, p.beta, p.gamma, p.lambda);
    [~, pred] = max(w*solve_test_coeff(d, Y));
    objective = @(D, S, W) n2(X - D*S) + p.lambda*n2(D*((kron(eye(C), ones(k, n)) == 0).*S)) + p.alpha*n2(H - W*S) + p.beta*incoherence(W*S, n, C) + p.gamma*2*graph(X, W*S)/2;
    final = @() {objective(d, s, w), objective(D, S, W)};
  case 'fddl'
    o.lambda1 = p.lambda1/2; o.lambda2 = p.lambda2; o.lambda3 = 0; o.D_range_ext = [o.D_range k*C]; o.max_iter = p.passes;
    [d, ~, s, ~, M, ~, o] = LRSDL(X, x, o);
    o.gamma = p.gamma/2; o.weight = p.weight; o.verbose = 0;
    pred = FDDL_pred(Y, d, M, o);
    objective = @(D, S) residuals(X, D, S, n, k) + p.lambda1*n1(S) + p.lambda2*(fisher(S, n) + n2(S));
    final = @() {objective(d, s), objective(D, S)};
  case 'd2l2r2'
    o.lambda1 = p.lambda1/2; o.lambda2 = p.lambda2; o.alpha = p.alpha/2; o.max_iter = p.passes;
    [d, r, s, M, o] = D2L2R2(X, x, o);
    o.gamma = p.gamma/2; o.weight = p.weight; o.verbose = 0;
    pred = D2L2R2_pred(Y, d, r, M, o);
    nuclear = @(D) sum(cellfun(@(d) sum(svd(d)), mat2cell(D, rows(D), k*ones(1, C))));
    objective = @(D, S) residuals(X, D, S, n, k) + p.lambda1*n1(S) + p.lambda2*(fisher(S, n) + n2(S)) + p.alpha*nuclear(D);
    final = @() {objective(d, s), objective(D, S)};
  case 'lrsdl'
    o.k0 = p.common; o.lambda1 = p.lambda1; o.lambda2 = p.lambda2; o.lambda3 = p.eta; o.D_range_ext = [o.D_range k*C+o.k0]; o.max_iter = p.passes;
    [d, d0, s, s0, M, m0, o] = LRSDL(X, x, o);
    o.verbose = 0; o.k = k;
    rate = 100*LRSDL_pred_GC(Y, d, d0, M, m0, o, y);
    objective = @(D, S, D0, S0) (residuals(X - D0*S0, D, S, n, k) + p.lambda2*(fisher(S, n) + n2(S) + n2(S0 - mean(S0, 2))))/2 + p.lambda1*(n1(S) + n1(S0)) + p.eta*sum(svd(D0));
    K = k*C; final = @() {objective(d, s, d0, s0), objective(D(:, 1:K), S(1:K, :), D(:, K+1:end), S(K+1:end, :))};
  case 'dlsi'
    o.lambda = p.lambda/2; o.eta = p.eta; o.max_iter = p.passes;
    [d, a] = DLSI(X, label_to_range(x), o);
    pred = DLSI_pred(Y, d, o);
    s = zeros(k*C, N); for i = 1:C, s(own(i, k), own(i, n)) = a{i}; end
    inside = @(S) S.*kron(eye(C), ones(k, n));
    objective = @(D, S) n2(X - D*inside(S)) + p.lambda*n1(inside(S)) + p.eta*incoherence(D, k, C);
    final = @() {objective(d, s), objective(D, S)};
  case 'copar'
    o.k0 = p.common; o.lambda = p.lambda/2; o.eta = p.eta; o.max_iter = p.passes;
    [d, s] = COPAR(X, label_to_range(x), o);
    o.gamma = p.lambda/2; o.classify_mode = 'GC';
    if isfield(p, 'rule') && strcmp(p.rule, 'local'), o.classify_mode = 'LC'; end
    pred = COPAR_pred(Y, d, [o.D_range k*C+o.k0], o);
    kept = [kron(eye(C), ones(k, n)); ones(o.k0, N)];
    objective = @(D, S) n2(X - D*S) + n2(X - D*(S.*kept)) + n2(S.*(1 - kept)) + p.lambda*n1(S) + p.eta*incoherence(D, k, C);
    final = @() {objective(d, s), objective(D, S)};
  case 'src'
    o.lambda = p.coder.lambda; o.max_iter = 300;
    [pred, z] = SRC_pred(Y, X, o.D_range, o);
    objective = @(Z) (n2(Y - X*Z)/2 + p.coder.lambda*n1(Z))/columns(Y);
    final = @() {objective(z), objective(Z)};
  case 'nrc'
    r = p.coder.rho;
    z = NRC(Y, X, inv(X'*X + r/2*eye(N)), struct('maxIter', p.coder.passes, 'rho', r, 'alpha', 0));
    E = zeros(C, columns(Y)); for i = 1:C, E(i, :) = sum((Y - X(:, own(i, n))*z(own(i, n), :)).^2); end
    [~, pred] = min(E);
    final = @() {n2(Y - X*z)/columns(Y), n2(Y - X*Z)/columns(Y)};
  case 'llc'
    z = LLC_coding_appr(X', Y', p.coder.neighbours, p.coder.lambda)';
    E = zeros(C, columns(Y)); for i = 1:C, E(i, :) = sum((Y - X(:, own(i, n))*z(own(i, n), :)).^2); end
    [~, pred] = min(E);
    final = @() {n2(Y - X*z)/columns(Y), n2(Y - X*Z)/columns(Y)};
  case 'lcle'
    [d, ~, ~, ~, s, l] = initialization4LCKSVD(X, H, k*C, p.init.passes, p.init.sparsity);
    [d, s] = Learn_D_X(s, d, construct_Q(l), p.alpha, p.beta, p.gamma, X', p.neighbours, p.passes);
    w = normcols((inv(s*s' + p.ridge*eye(k*C))*s*H')');
    pred = classification(d, w, Y, double((1:C)' == y), p.coder.sparsity);
    final = @() {0, 0};
  case 'ksvd'
    d = initialization4LCKSVD(X, H, k*C, p.init.passes, p.init.sparsity);
    q = struct('data', X, 'Tdata', p.sparsity, 'iternum', p.passes, 'memusage', 'high', 'initdict', normcols(d));
    [d, s] = ksvd(q, '');
    w = (inv(s*s' + p.ridge*eye(k*C))*s*H')';
    pred = classification(d, w, Y, double((1:C)' == y), p.sparsity);
    final = @() {n2(X - d*s), n2(X - D*S)};
  case 'lcksvd2'
    [d, t, w, q] = initialization4LCKSVD(X, H, k*C, p.init.passes, p.init.sparsity);
    [d, ~, ~, w] = labelconsistentksvd2(X, d, q, t, H, w, p.passes, p.sparsity, sqrt(p.alpha), sqrt(p.beta));
    pred = classification(d, w, Y, double((1:C)' == y), p.sparsity);
    final = @() {0, 0};
end
seconds = cputime - begun;
v = final();
f = fopen([folder '/answer.json'], 'w');
fputs(f, jsonencode(struct('seconds', seconds, 'theirs', v{1}, 'ours', v{2}, 'rate', rate, 'classes', pred(:)')));
fclose(f);
